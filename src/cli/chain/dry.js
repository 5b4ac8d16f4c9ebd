// Lower logits for tokens that would go on with a repeat (sampler/src/samplers/dry.rs).

/** How many tokens have come behind the last breaker; the newest token is the first. */
function behindBreaker(recent, breakers) {
  for (let head = 0; head < recent.length; head++) {
    const fitting = breakers
      .filter(([first, ...tail]) => {
        const next = (i) => recent[head - 1 - i];
        return first === recent[head] && tail.every((token, i) => token === next(i));
      })
      .map((breaker) => breaker.length - 1);
    if (fitting.length > 0) return head - Math.max(...fitting);
  }
  return recent.length;
}

const dry = {
  off: (s) => s.dry_multiplier === 0 || s.dry_base < 1 || s.dry_last_n <= 0,
  apply(candidates, s, { history, breakers }) {
    const recent = history.slice(-s.dry_last_n).reverse();
    const excess = (length) => length - s.dry_allowed_length;
    const longest = behindBreaker(recent, breakers);
    if (excess(recent.length) <= 0 || excess(longest) < 0) return;
    // The token before a repeat is the one that came next.
    const repeats = new Map();
    for (let place = 1; place < recent.length; place++) {
      let length = 0;
      while (place + length < recent.length && recent[place + length] === recent[length]) length++;
      length = Math.min(length, longest);
      const next = recent[place - 1];
      if (excess(length) >= 0) repeats.set(next, Math.max(length, repeats.get(next) ?? 0));
    }
    for (const [first, ...tail] of breakers) {
      if (tail.length === 0) repeats.delete(first);
    }
    // With this power the penalty just does not overflow.
    const greatest = Math.trunc(single(log(greatestNumber) / log(s.dry_base)));
    candidates.sorted = false;
    for (const candidate of candidates.data) {
      if (!repeats.has(candidate.id)) continue;
      const power = pow(s.dry_base, Math.min(excess(repeats.get(candidate.id)), greatest));
      candidate.logit = single(candidate.logit - single(s.dry_multiplier * power));
    }
  },
};
