//! `make lines`: how many cache lines an operation moves, on 2 to 128 simulated cores.

#[cfg(segring_lines)]
fn main() {
    use comfy_table::{Table, presets};
    use segring_benches::lines::{Costs, Load, measure};

    let transfer = std::env::var("LINES_TRANSFER").ok().and_then(|nanos| nanos.parse().ok());
    let costs = Costs { hit: 1.0, transfer: transfer.unwrap_or(60.0), read_modify_write: 6.0 };
    println!("{costs:?}, in simulated nanoseconds; what is assumed: benches/src/lines/mod.rs");
    println!("a cell: ns an item / lines moved for an item / least share of a core (1: all equal)");
    let loads = [
        ("two counters", Load::Floor, true),
        ("pairs", Load::Pairs, true),
        ("pairs, no pauses", Load::Pairs, false),
        ("halves", Load::Halves, true),
        ("halves, no pauses", Load::Halves, false),
        ("mpsc", Load::OneConsumer, true),
        ("mpsc, no pauses", Load::OneConsumer, false),
    ];
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(std::iter::once("cores").chain(loads.iter().map(|load| load.0)));
    for cores in [2, 4, 8, 16, 32, 64, 128] {
        let cell = |&(_, load, pauses): &(&str, Load, bool)| {
            let row = measure(load, cores, costs, pauses);
            format!("{:.1} / {:.2} / {:.2}", row.nanos, row.transfers, row.least_share)
        };
        table.add_row(std::iter::once(cores.to_string()).chain(loads.iter().map(cell)));
    }
    println!("{table}");
}

#[cfg(not(segring_lines))]
fn main() {
    eprintln!("this needs a build with --cfg segring_lines: make lines");
    std::process::exit(2);
}
