//! Figures of the paper, drawn from a record. The same record gives the same bytes.
//!
//! Readable in grey: competitors differ by shape, ours are filled. The only font is one that the
//! typesetter brings along.

use alloc::collections::BTreeMap;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::compare::Spread;
use crate::data::{Case, Data};
use crate::report::OURS;
use crate::workload::Burst;

type Drawn = Result<String, String>;

const FONT: &str = "Libertinus Serif";
const TEXT: i32 = 15;
const GREY: RGBColor = RGBColor(150, 150, 150);

/// Every figure, by name.
///
/// # Errors
/// When the record lacks what a figure shows.
pub fn draw(soak: &Data) -> Result<BTreeMap<&'static str, String>, String> {
    Ok([("contention", contention(soak)?), ("burst", burst(soak)?)].into())
}

/// A row of marks on a logarithmic scale.
struct Row {
    label: String,
    marks: Vec<Mark>,
}

struct Mark {
    shape: usize,
    filled: bool,
    at: f64,
    range: Option<(f64, f64)>,
}

/// What ours take for what a peer does in one, by case.
fn contention(soak: &Data) -> Drawn {
    const PEERS: [&str; 3] = ["crossbeam SegQueue", "crossbeam ArrayQueue", "kanal"];

    let cases = soak.cases.iter().filter(|case| !case.name.starts_with("ring_boundary"));
    let mut rows = Vec::new();
    for case in cases {
        // Handle and Queue; there is no room for all, and the table of losses has them.
        for &(letter, ours) in &OURS[..2] {
            let filled = letter == OURS[0].0;
            let mark = |(shape, peer): (usize, &&str)| {
                let Spread { median: at, low, high } = case.ratio(ours, peer)?;
                Some(Mark { shape, filled, at, range: Some((low, high)) })
            };
            let marks = PEERS.iter().enumerate().filter_map(mark).collect();
            rows.push(Row { label: format!("{} {letter}", case_label(case)), marks });
        }
    }
    let axis = "time of segring / time of the peer; left of 1, segring takes less";
    draw_rows(&rows, (0.1, 10.0), Some(1.0), &PEERS, axis)
}

fn case_label(case: &Case) -> String {
    let over = if case.oversubscribed { "*" } else { "" };
    format!("{}{over}", case.name)
}

/// Bytes that a queue holds before, at the peak of and after a burst.
fn burst(soak: &Data) -> Drawn {
    let row = |(who, bursts): &(String, Vec<Burst>)| {
        let filled = OURS.iter().any(|(_, own)| own == who);
        let mark = |shape, of: fn(&Burst) -> i64| {
            let most = bursts.iter().map(of).max().map_or(1, |bytes| bytes.max(1));
            Mark { shape, filled, at: most as f64, range: None }
        };
        let marks = vec![
            mark(0, |burst| burst.bytes_before),
            mark(1, |burst| burst.bytes_peak),
            mark(2, |burst| burst.bytes_after),
        ];
        Row { label: who.clone(), marks }
    };
    let rows: Vec<Row> = soak.bursts.iter().map(row).collect();
    let axis = "bytes held at depth 10 before and after, and at the peak";
    draw_rows(&rows, (100.0, 1e8), None, &["before", "at the peak", "after"], axis)
}

/// One row for each label, with its marks; the legend names the shapes.
fn draw_rows(
    rows: &[Row],
    (low, high): (f64, f64),
    line: Option<f64>,
    legend: &[&str],
    axis: &str,
) -> Drawn {
    const ROW: usize = 17;
    const WIDTH: u32 = 720;

    if rows.is_empty() {
        return Err("nothing to draw".to_owned());
    }
    let height = u32::try_from(rows.len() * ROW + 80).map_err(|error| error.to_string())?;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    let drawn = draw_chart(&root, rows, (low, high), line, legend, axis);
    drawn.and_then(|()| root.present()).map_err(|error| error.to_string())?;
    drop(root);
    Ok(svg)
}

fn draw_chart<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    rows: &[Row],
    (low, high): (f64, f64),
    line: Option<f64>,
    legend: &[&str],
    axis: &str,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let font = || (FONT, TEXT).into_font();
    let y = |row: usize| row as f64;
    let (first, last) = (-0.6, rows.len() as f64 - 0.4);
    let mut chart = ChartBuilder::on(root)
        .margin(6)
        .margin_right(22)
        .margin_top(28)
        .x_label_area_size(38)
        .y_label_area_size(172)
        .build_cartesian_2d((low..high).log_scale(), last..first)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(GREY.mix(0.15))
        .bold_line_style(GREY.mix(0.5))
        .x_desc(axis)
        .x_labels(8)
        .x_label_formatter(&|value| label(*value))
        .label_style(font())
        .axis_desc_style(font())
        .draw()?;
    if let Some(at) = line {
        chart.draw_series([PathElement::new(vec![(at, first), (at, last)], BLACK)])?;
    }
    let plot = chart.plotting_area();
    for (index, row) in rows.iter().enumerate() {
        let (_, at) = plot.map_coordinate(&(low, y(index)));
        let style = font().into_text_style(root).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(row.label.clone(), (8, at), style))?;
        for mark in &row.marks {
            if let Some((from, to)) = mark.range {
                let ends = vec![(from.max(low), y(index)), (to.min(high), y(index))];
                plot.draw(&PathElement::new(ends, GREY.stroke_width(1)))?;
            }
            let place = plot.map_coordinate(&(mark.at.clamp(low, high), y(index)));
            draw_mark(root, mark.shape, mark.filled, place)?;
        }
    }
    for (shape, name) in legend.iter().enumerate() {
        let x = [185, 355, 525][shape];
        draw_mark(root, shape, false, (x, 14))?;
        root.draw(&Text::new((*name).to_owned(), (x + 10, 7), font()))?;
    }
    Ok(())
}

/// A mark by its number: a circle, a square, a triangle.
fn draw_mark<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    shape: usize,
    filled: bool,
    (x, y): (i32, i32),
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let style = if filled { BLACK.filled() } else { BLACK.stroke_width(1) };
    match shape {
        0 => area.draw(&Circle::new((x, y), 4, style)),
        1 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], style)),
        _ => {
            let corners = vec![(x - 5, y + 4), (x + 5, y + 4), (x, y - 5), (x - 5, y + 4)];
            if filled {
                area.draw(&Polygon::new(corners, style))
            } else {
                area.draw(&PathElement::new(corners, style))
            }
        }
    }
}

/// 0.1, 1, 10, 1 k, 1 M.
fn label(value: f64) -> String {
    match value {
        1e6.. => format!("{:.0} M", value / 1e6),
        1e3.. => format!("{:.0} k", value / 1e3),
        1.0.. => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}
