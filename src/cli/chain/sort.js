// Sorting in the order of the library, also among equal logits (sort.rs, radix.rs and candidates.rs
// in sampler/src). Candidates are objects with a logit; a range goes from an index to the one
// before another.

/** A logit that is no number counts as -inf. */
const rank = (candidate) => (candidate.logit > -Infinity ? candidate.logit : -Infinity);

/** Whether one belongs before the other: the greater logit first. */
const before = (a, b) => rank(a) > rank(b);

/** The greatest of a range to its front, sorted, as many as asked for; the rest in some order. */
function partialSortRange(data, from, to, count) {
  count = Math.min(count, to - from);
  if (count === 0) return;
  for (let parent = (count >> 1) - 1; parent >= 0; parent--) {
    sift(data, from, count, parent, data[from + parent]);
  }
  for (let i = from + count; i < to; i++) {
    if (before(data[i], data[from])) {
      const value = data[i];
      data[i] = data[from];
      sift(data, from, count, 0, value);
    }
  }
  for (let last = count - 1; last > 0; last--) {
    const value = data[from + last];
    data[from + last] = data[from];
    sift(data, from, last, 0, value);
  }
}

/** Walks a hole of a heap down to a leaf, then the value up from there. */
function sift(data, from, size, top, value) {
  let hole = top;
  for (;;) {
    const right = 2 * hole + 2;
    if (right > size) break;
    const leftWins = right === size || before(data[from + right], data[from + right - 1]);
    const child = leftWins ? right - 1 : right;
    data[from + hole] = data[from + child];
    hole = child;
  }
  while (hole > top) {
    const parent = (hole - 1) >> 1;
    if (!before(data[from + parent], value)) break;
    data[from + hole] = data[from + parent];
    hole = parent;
  }
  data[from + hole] = value;
}

/** All of a range, sorted. */
function sortRange(data, from, to) {
  if (to - from < 2) return;
  introsort(data, from, to, 2 * (31 - Math.clz32(to - from)));
  for (let i = from + 1; i < to; i++) {
    const value = data[i];
    let hole = i;
    while (hole > from && before(value, data[hole - 1])) {
      data[hole] = data[hole - 1];
      hole--;
    }
    data[hole] = value;
  }
}

/** Splits until every part is small; heap sort where splitting goes wrong too often. */
function introsort(data, from, to, depth) {
  const small = 16;
  while (to - from > small) {
    if (depth-- === 0) return partialSortRange(data, from, to, to - from);
    const cut = partition(data, from, to);
    introsort(data, cut, to, depth);
    to = cut;
  }
}

/** Splits around the median of the second, the middle and the last. */
function partition(data, from, to) {
  const [a, b, c] = [from + 1, from + ((to - from) >> 1), to - 1];
  const less = (i, j) => before(data[i], data[j]);
  const median = less(a, b)
    ? less(b, c) ? b : less(a, c) ? c : a
    : less(a, c) ? a : less(b, c) ? c : b;
  const swap = (i, j) => ([data[i], data[j]] = [data[j], data[i]]);
  swap(from, median);
  let [low, high] = [from + 1, to];
  for (;;) {
    while (before(data[low], data[from])) low++;
    high--;
    while (before(data[from], data[high])) high--;
    if (low >= high) return low;
    swap(low, high);
    low++;
  }
}

/** All candidates, sorted; equal ones stay in their order. */
const stableSort = (data) => [...data].sort((a, b) => before(b, a) - before(a, b));

/** The greatest candidates of many, sorted, as many as asked for, and some behind them. */
function bucketSort(data, count) {
  const [buckets, scale] = [128, Math.fround(128 / 20)];
  const parts = Array.from({ length: buckets }, () => []);
  for (const candidate of data) {
    const place = Math.fround(Math.fround(scale * rank(candidate)) + 64);
    parts[Math.trunc(Math.min(Math.max(place, 0), buckets - 1))].push(candidate);
  }
  const sorted = [];
  for (let bucket = buckets - 1; bucket >= 0 && sorted.length < count; bucket--) {
    const part = parts[bucket];
    const missing = count - sorted.length;
    // The last bucket that matters is sorted only as far as it matters.
    if (part.length >= missing) partialSortRange(part, 0, part.length, missing);
    else sortRange(part, 0, part.length);
    for (const candidate of part) sorted.push(candidate);
  }
  return sorted;
}
