//! The curve of the loss as a picture.

use std::fmt::Write as _;

use anyhow::{Context, Result};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 48.0;

/// One point: tokens read, and the loss.
type Point = (f64, f64);

/// The points of the training and those of the held-out documents, out of the log.
fn points(log: &str) -> Result<(Vec<Point>, Vec<Point>)> {
    let (mut training, mut held_out) = (Vec::new(), Vec::new());
    for line in log.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| -> Result<f64> {
            let cell = cells
                .get(place)
                .with_context(|| format!("the log has a line without cell {place}: {line}"))?;
            cell.parse()
                .with_context(|| format!("the log has {cell} where a number is expected: {line}"))
        };
        let tokens = number(1)?;
        training.push((tokens, number(4)?));
        if cells.get(5).is_some_and(|cell| !cell.is_empty()) {
            held_out.push((tokens, number(5)?));
        }
    }
    Ok((training, held_out))
}

/// A picture of the log of a training, as SVG.
///
/// # Errors
///
/// The log is not one, or is empty.
pub(crate) fn svg(log: &str) -> Result<String> {
    let (training, held_out) = points(log)?;
    let last = training.last().context("the log is empty: train first")?.0;
    let highest = training.iter().map(|point| point.1).fold(0.0, f64::max).ceil();
    let x = |tokens: f64| MARGIN + tokens / last * (WIDTH - 2.0 * MARGIN);
    let y = |loss: f64| HEIGHT - MARGIN - loss / highest * (HEIGHT - 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Loss of the model in the box</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    for loss in 0..=highest as u32 {
        let height = y(f64::from(loss));
        writeln!(
            out,
            "<path d=\"M{MARGIN} {height:.1}H{:.1}\" stroke=\"#dddddd\"/>",
            WIDTH - MARGIN
        )?;
        writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{loss}</text>",
            MARGIN - 6.0,
            height + 4.0
        )?;
    }
    let million = 1_000_000.0;
    let stride = (last / million / 8.0).ceil().max(1.0);
    let mut tick = 0.0;
    while tick * million <= last {
        let place = x(tick * million);
        writeln!(
            out,
            "<text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick} M</text>",
            HEIGHT - MARGIN + 18.0
        )?;
        tick += stride;
    }
    writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">tokens read</text>",
        WIDTH / 2.0,
        HEIGHT - 10.0
    )?;
    writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"24\">loss of a token, in nats: training (blue), held-out documents (orange)</text>"
    )?;
    for (points, color, width) in [(&training, "#4477aa", 1.2), (&held_out, "#dd7700", 2.0)] {
        let path: Vec<String> = points
            .iter()
            .map(|&(tokens, loss)| format!("{:.1} {:.1}", x(tokens), y(loss)))
            .collect();
        if !path.is_empty() {
            writeln!(
                out,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>",
                path.join("L")
            )?;
        }
    }
    out += "</svg>\n";
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_becomes_two_lines() {
        let svg = svg(
            "step,tokens,seconds,rate,loss,held_out\n10,1000,1,0.1,4.5,\n20,2000,2,0.1,3.5,3.25\n",
        )
        .unwrap();
        assert_eq!(svg.matches("fill=\"none\"").count(), 2);
        assert!(svg.contains("M360.0 74.4L672.0 127.2"), "{svg}");
    }

    #[test]
    fn what_is_no_log_is_refused() {
        assert_eq!(svg("step\n").unwrap_err().to_string(), "the log is empty: train first");
        assert!(
            svg("step\n1,x,1,1,1,")
                .unwrap_err()
                .to_string()
                .starts_with("the log has x where a number is expected")
        );
    }
}
