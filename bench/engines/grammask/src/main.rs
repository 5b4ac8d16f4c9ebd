//! The engine as a program of its own.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    grammask_bench_engine::run()
}
