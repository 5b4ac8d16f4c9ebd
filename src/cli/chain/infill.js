// A token for the middle of a text (sampler/src/samplers/infill.rs). The context knows what
// ordinary tokens spell, as hexadecimal numbers, and which tokens end generation.

/** Adds the probabilities of tokens of which one's text begins the other's. */
function mergeBeginnings(data, texts) {
  const isThere = ({ logit }) => logit > -Infinity;
  const text = (index) => texts.get(data[index].id);
  const all = data.map((_, index) => index);
  const sorted = all.filter((index) => isThere(data[index]) && text(index));
  sorted.sort((a, b) => (text(a) < text(b) ? -1 : 1));
  const places = new Map(sorted.map((index, place) => [index, place]));
  for (let index = 0; index < data.length; index++) {
    if (!isThere(data[index]) || !places.has(index)) continue;
    const others = [];
    for (let place = places.get(index) + 1; place < sorted.length; place++) {
      if (!text(sorted[place]).startsWith(text(index))) break;
      if (isThere(data[sorted[place]])) others.push(sorted[place]);
    }
    for (const other of others.sort((a, b) => a - b)) {
      const givesIn = data[other].p > data[index].p;
      const [from, to] = givesIn ? [data[index], data[other]] : [data[other], data[index]];
      to.p = single(to.p + from.p);
      Object.assign(from, { p: 0, logit: -Infinity });
      if (givesIn) break;
    }
  }
}

const infill = {
  off: () => false,
  apply(candidates, s, { texts, eog }) {
    const ends = ({ id }) => eog.includes(id);
    const keep = (least) => {
      candidates.keep(candidates.data.filter((c) => ends(c) || !(c.p < least)));
      const total = sum(candidates.data.map(({ p }) => p));
      for (const candidate of candidates.data) candidate.p = single(candidate.p / total);
    };
    candidates.sort();
    candidates.softmax();
    const { data } = candidates;
    const end = sum(data.filter(ends).map(({ p }) => p));
    const text = sum(data.filter((c) => !ends(c)).map(({ p }) => p));
    if (single(single(3 * end) * data.length) > text) return keep(Infinity);
    mergeBeginnings(data, texts);
    const least = single(0.2);
    const count = data.filter((c) => !ends(c) && !(c.p < least)).length;
    if (count > 0) {
      keep(least);
      keep(single(1 / (count + 1)));
      return;
    }
    const best = data.find(ends);
    candidates.keep([{ ...(best ?? data[0]), id: best?.id ?? eog[0] ?? data[0].id, logit: 1 }]);
  },
};
