"""Typesets the paper. `make paper` runs this with the packages of requirements.txt.

    build.py OUT.pdf            the paper
    build.py OUT-{n}.png [PPI]  its pages as images

Fails on any warning. Uses the fonts that the typesetter brings along and no others.
"""

import pathlib
import sys

import typst

papers = pathlib.Path(__file__).resolve().parent
out = sys.argv[1]
options = {"format": "pdf"}
if out.endswith(".png"):
    options = {"format": "png", "ppi": float(sys.argv[2]) if len(sys.argv) > 2 else 110}
# No date of today goes into the file, so that the same text gives the same bytes.
_, warnings = typst.compile_with_warnings(
    papers / "segring.typ", output=out, root=papers, ignore_system_fonts=True, timestamp=0, **options
)
for warning in warnings:
    print(f"paper: warning: {warning.message}")
if warnings:
    sys.exit("paper: FAILED: there are warnings")
print(f"paper: {out}")
