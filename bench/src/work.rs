//! The same work on many items, with a progress bar.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

/// What `work` makes of each item, in their order, on all cores.
///
/// # Errors
///
/// The first error that an item gives.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    what: &str,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    on_threads(std::thread::available_parallelism().map_or(1, usize::from), items, what, work)
}

/// The same, one after the other: what is timed must not compete with itself for caches.
///
/// # Errors
///
/// The first error that an item gives.
pub fn in_turn<T: Sync, R: Send>(
    items: &[T],
    what: &str,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    on_threads(1, items, what, work)
}

/// The same, so many at a time.
///
/// # Errors
///
/// The first error that an item gives.
pub fn on_threads<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    what: &str,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
    let bar =
        ProgressBar::new(items.len() as u64).with_style(ProgressStyle::with_template(&template)?);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<R>>>> = Mutex::new(items.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("no panic inside")[index] = Some(result);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    results.into_inner().expect("no panic inside").into_iter().flatten().collect()
}
