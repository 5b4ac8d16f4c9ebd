#![allow(missing_docs)]
use grammask_gbnf::{Automaton, Grammar, Matcher};
use grammask_oracle::{Reference, generate};

fn agree(grammar: &Grammar, text: &[u8]) -> Result<(), String> {
    let reference = Reference::new(grammar, "root");
    let mut matcher =
        Matcher::new(&Automaton::compile(grammar, "root").map_err(|e| format!("compile {e}"))?);
    let mut chart = reference.start();
    for at in 0..=text.len() {
        let context = || format!("{grammar}after {:?}", String::from_utf8_lossy(&text[..at]));
        if matcher.is_complete() != chart.matches() {
            if reference.gave_up() { eprintln!("GAVE UP"); return Ok(()); }
            return Err(format!("complete {} {}", matcher.is_complete(), context()));
        }
        let next: Vec<u8> = matcher.next_bytes().iter().collect();
        let want = chart.next_bytes();
        if next != want {
            if reference.gave_up() { eprintln!("GAVE UP"); return Ok(()); }
            return Err(format!("next {next:?} want {want:?} {}", context()));
        }
        let Some(&byte) = text.get(at) else { break };
        let alive = matcher.advance(&[byte]).is_ok();
        if !alive {
            break;
        }
        chart.push(byte);
    }
    Ok(())
}

#[test]
fn seeds() {
    let from: u64 = std::env::var("FROM").unwrap().parse().unwrap();
    let to: u64 = std::env::var("TO").unwrap().parse().unwrap();
    for seed in from..to {
        let grammar = generate::sample(&generate::unique_grammars(), seed);
        let steps = generate::sample(&generate::steps(20), seed ^ 77777);
        let t = std::time::Instant::now();
        eprintln!("start {seed}\n{grammar}");
        let walk = generate::walk(&Reference::new(&grammar, "root"), &steps);
        let r = agree(&grammar, &walk);
        let e = t.elapsed();
        if e.as_secs() > 5 {
            eprintln!("slow {seed} {e:?}\n{grammar}");
        }
        if Reference::new(&grammar, "root").gave_up() { continue; }
        if let Err(e) = r {
            println!("BAD {seed} {e}\nwalk {:?}", String::from_utf8_lossy(&walk));
        }
    }
}
