// Run inside the page by check.py. Returns what is wrong, and how many texts were looked at.
() => {
  const SMALLEST = 10.5; // CSS pixels on the screen, after scaling
  const CONTRAST = 4.5; // WCAG AA
  const TOUCH = 1.5; // pixels that boxes of letters may overlap: their edges are empty
  const wrong = [];
  const say = (element, what) => wrong.push(`${what}: "${element.textContent.trim().slice(0, 50)}"`);
  const root = document.documentElement;

  if (root.scrollWidth > window.innerWidth) {
    wrong.push(`the page is ${root.scrollWidth} wide, in a window of ${window.innerWidth}`);
    for (const element of document.querySelectorAll("body *")) {
      const inBox = element.closest(".scroll") && !element.matches(".scroll");
      if (!inBox && element.getBoundingClientRect().right > window.innerWidth + 1) say(element, "too wide");
    }
  }

  // Colours, with everything behind them that can be seen through.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };

  // Every element with a text of its own.
  let seen = 0;
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!own || element.matches("svg title")) continue;
    seen += 1;
    const style = getComputedStyle(element);
    const svg = element.closest("svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const size = parseFloat(style.fontSize) * scale;
    if (size < SMALLEST) say(element, `letters of ${size.toFixed(1)} px`);
    const ratio = contrast(rgba(svg ? style.fill : style.color), behind(element));
    // Marks in a legend are no letters.
    const least = /^[■□]$/.test(element.textContent.trim()) ? 3 : CONTRAST;
    if (ratio < least) say(element, `contrast of ${ratio.toFixed(2)}`);
  }

  // Nothing hangs out of a cell of the map, or of a bar.
  for (const cell of document.querySelectorAll(".heat td, .heat tbody th, .outcome .bar span")) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    if (!cell.textContent.trim()) continue;
    const [text, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    if (text.left < box.left - 1 || text.right > box.right + 1) say(cell, "hangs out of its cell");
  }

  // Drawings: texts inside them and apart from each other.
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
    texts.forEach(([text, box], index) => {
      const out = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
      if (out) say(text, `hangs out of "${svg.getAttribute("aria-label")}"`);
      for (const [other, its] of texts.slice(index + 1)) {
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        // Lines of letters one below the other share empty space above and below.
        if (across > TOUCH && down > TOUCH + 0.25 * Math.min(box.height, its.height)) {
          say(text, `lies on "${other.textContent}" in "${svg.getAttribute("aria-label")}"`);
        }
      }
      for (const bar of svg.querySelectorAll("rect")) {
        const its = bar.getBoundingClientRect();
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (across > TOUCH && down > TOUCH) say(text, `lies on a bar in "${svg.getAttribute("aria-label")}"`);
      }
    });
  }
  return [wrong, seen];
}
