// The samplers of the library in JavaScript: the same formulas, the same rounding, the same draws.
// A sampler tells whether its settings switch it off, and changes the candidates. The context is
// what else it may look at: the last tokens, what tokens spell, which of them end generation.

/** Draws one candidate, each with its probability. */
function select(candidates, generator) {
  const { data } = candidates;
  candidates.selected = data[drawIndex(data.map((candidate) => candidate.p), generator)];
}

/** Divides by a temperature; at 0 the first of the greatest logits stays. */
function divide(candidates, t) {
  if (t > 0) {
    for (const candidate of candidates.data) candidate.logit = single(candidate.logit / t);
    return;
  }
  const max = candidates.max();
  let found = false;
  for (const candidate of candidates.data) {
    if (found || !(candidate.logit >= max)) candidate.logit = -Infinity;
    else found = true;
  }
}

/** In bits. */
const surprise = (p) => single(-single(Math.log2(p)));

const samplers = {
  "logit-bias": {
    off: (s) => s.logit_bias.length === 0,
    apply(candidates, s) {
      candidates.sorted = false;
      for (const candidate of candidates.data) {
        if (!(candidate.logit > -Infinity)) continue;
        for (const [id, bias] of s.logit_bias) {
          if (id === candidate.id) candidate.logit = single(candidate.logit + bias);
        }
      }
    },
  },

  penalties: {
    off: (s) =>
      s.repeat_last_n <= 0 ||
      (s.repeat_penalty === 1 && s.frequency_penalty === 0 && s.presence_penalty === 0),
    apply(candidates, s, context) {
      candidates.sorted = false;
      const counts = new Map();
      for (const id of context.history.slice(-s.repeat_last_n)) {
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      for (const candidate of candidates.data) {
        const count = counts.get(candidate.id);
        if (!count) continue;
        const { logit } = candidate;
        const repeated = single(logit <= 0 ? logit * s.repeat_penalty : logit / s.repeat_penalty);
        const frequency = single(count * s.frequency_penalty);
        candidate.logit = single(repeated - single(frequency + s.presence_penalty));
      }
    },
  },

  dry,

  "top-n-sigma": {
    off: (s) => s.top_n_sigma <= 0,
    apply(candidates, s) {
      if (candidates.length <= 1) return;
      const logits = candidates.data.map((c) => c.logit).filter((logit) => logit > -Infinity);
      if (logits.length === 0) return;
      const mean = single(sum(logits) / logits.length);
      const squares = logits.map((logit) => single(single(logit - mean) ** 2));
      const deviation = single(Math.sqrt(single(sum(squares) / logits.length)));
      const least = single(candidates.max() - single(s.top_n_sigma * deviation));
      for (const candidate of candidates.data) {
        const { logit } = candidate;
        if (logit < least || Number.isNaN(logit)) candidate.logit = -Infinity;
      }
    },
  },

  "top-k": {
    off: (s) => s.top_k <= 0,
    apply: (candidates, s) => candidates.partialSort(s.top_k),
  },

  typical: {
    off: (s) => s.typical >= 1,
    apply(candidates, s) {
      candidates.sort();
      const entropy = candidates.softmaxEntropy();
      const { data } = candidates;
      const distance = ({ p }) => Math.abs(single(-log(p) - entropy));
      // The best come first, so surprises only grow: the nearest are around one place.
      const first = data.findIndex(({ p }) => !(-log(p) < entropy));
      let left = first < 0 ? data.length : first;
      let right = left;
      let [mass, isEnough] = [0, false];
      const kept = [];
      while (!isEnough && (left > 0 || right < data.length)) {
        const last = data[left - 1];
        const isLeft =
          left > 0 && (right === data.length || distance(last) <= distance(data[right]));
        // On the left equal ones as they come.
        const end = isLeft ? left : ++right;
        if (isLeft) left--;
        while (isLeft && left > 0 && data[left - 1].logit <= last.logit) left--;
        for (let i = isLeft ? left : end - 1; i < end && !isEnough; i++) {
          kept.push(data[i]);
          mass = single(mass + data[i].p);
          isEnough = mass > s.typical && kept.length >= s.min_keep;
        }
      }
      candidates.keep(kept);
      candidates.sorted = false;
      candidates.selected = null;
    },
  },

  "top-p": {
    off: (s) => s.top_p >= 1,
    apply(candidates, s) {
      candidates.softmax();
      candidates.keepMass(s.top_p, s.min_keep);
    },
  },

  "min-p": {
    off: (s) => s.min_p <= 0,
    apply(candidates, s) {
      if (!candidates.sorted) {
        const max = Math.max(candidates.max(), -greatestNumber);
        const least = single(max + log(s.min_p));
        const passing = candidates.data.filter((candidate) => candidate.logit >= least);
        if (passing.length >= Math.max(s.min_keep, 1)) return candidates.keep(passing);
        candidates.sort();
      }
      const { data } = candidates;
      const least = single(data[0].logit + log(s.min_p));
      const failing = data.findIndex((candidate, i) => i > 0 && !(candidate.logit >= least));
      const passing = failing < 0 ? data.length : failing;
      candidates.keep(data.slice(0, Math.max(passing, s.min_keep)));
    },
  },

  xtc: {
    off: (s) => s.xtc_probability <= 0 || s.xtc_threshold > 0.5,
    apply(candidates, s) {
      if (candidates.length < 2) return;
      if (new Mt19937(s.seed).single() > s.xtc_probability) return;
      candidates.sort();
      candidates.softmax();
      const { data } = candidates;
      const below = data.findIndex(({ p }) => !(p >= s.xtc_threshold));
      const last = (below < 0 ? data.length : below) - 1;
      if (last > 0 && data.length - last >= s.min_keep) candidates.keep(data.slice(last));
    },
  },

  temp: {
    off: (s) => s.temperature === 1,
    apply: (candidates, s) => divide(candidates, s.temperature),
  },

  "temp-ext": {
    off: (s) => s.temperature === 1 && s.temperature_range <= 0,
    apply(candidates, s) {
      if (!(s.temperature_range > 0)) return divide(candidates, s.temperature);
      if (candidates.length <= 1) return;
      const low = Math.max(0, single(s.temperature - s.temperature_range));
      const high = single(s.temperature + s.temperature_range);
      candidates.sort();
      const most = -log(single(1 / candidates.length));
      const share = single(candidates.softmaxEntropy() / most);
      const width = single(single(high - low) * pow(share, s.temperature_exponent));
      divide(candidates, single(low + width));
    },
  },

  "top-a": {
    off: (s) => s.top_a <= 0,
    apply(candidates, s) {
      candidates.softmax();
      const greatest = candidates.data.reduce((max, { p }) => Math.max(max, p), 0);
      candidates.keepProbable(single(single(s.top_a * greatest) * greatest), s.min_keep);
    },
  },

  "epsilon-cutoff": {
    off: (s) => s.epsilon_cutoff <= 0,
    apply(candidates, s) {
      candidates.softmax();
      candidates.keepProbable(s.epsilon_cutoff, s.min_keep);
    },
  },

  "eta-cutoff": {
    off: (s) => s.eta_cutoff <= 0,
    apply(candidates, s) {
      const eta = single(single(Math.sqrt(s.eta_cutoff)) * exp(-candidates.softmaxEntropy()));
      candidates.keepProbable(Math.min(eta, s.eta_cutoff), s.min_keep);
    },
  },

  infill,

  mirostat: {
    off: () => false,
    apply(candidates, s) {
      const learnt = 100;
      candidates.sort();
      candidates.softmax();
      let [xy, xx] = [0, 0];
      const { data } = candidates;
      for (let i = 0; i < Math.min(learnt - 1, data.length - 1); i++) {
        const x = log(single((i + 2) / (i + 1)));
        const y = log(single(data[i].p / data[i + 1].p));
        xy = single(xy + single(x * y));
        xx = single(xx + single(x * x));
      }
      const exponent = single(xy / xx);
      const excess = single(exponent - 1);
      const mu = single(2 * s.mirostat_tau);
      const share = single(1 - pow(s.vocabulary, -excess));
      const k = pow(single(single(excess * pow(2, mu)) / share), single(1 / exponent));
      candidates.keep(data.slice(0, k >= 1 && k < 2 ** 31 ? Math.trunc(k) : 1));
      candidates.softmax();
      select(candidates, new Mt19937(s.seed));
    },
  },

  "mirostat-v2": {
    off: () => false,
    apply(candidates, s) {
      candidates.sort();
      candidates.softmax();
      const mu = single(2 * s.mirostat_tau);
      const { data } = candidates;
      const first = data.findIndex(({ p }) => surprise(p) > mu);
      candidates.keep(data.slice(0, first < 0 ? data.length : Math.max(first, 1)));
      candidates.softmax();
      select(candidates, new Mt19937(s.seed));
    },
  },

  "adaptive-p": {
    off: () => false,
    apply(candidates, s) {
      candidates.softmax();
      const generator = new Mt19937(s.seed);
      if (s.adaptive_target >= 0) {
        const [width, peak, sharpness] = [single(1 / single(0.3)), 5, 10];
        // Nothing has been accepted: the average is the target itself.
        const decay = Math.min(Math.max(s.adaptive_decay, 0), single(0.99));
        const weight = single(1 / single(1 - decay));
        const weighted = single(s.adaptive_target / single(1 - decay));
        const target = Math.min(s.adaptive_target, 1);
        const wanted = single(single(2 * target) - single(weighted / weight));
        const adapted = Math.min(Math.max(wanted, 0), 1);
        for (const candidate of candidates.data) {
          if (!(candidate.logit > -Infinity)) continue;
          const d = single(Math.abs(single(single(candidate.p - adapted) * width)));
          const bend = single(single(single(sharpness * d) * d) / single(1 + d));
          candidate.logit = single(peak - bend);
        }
        candidates.sorted = false;
        candidates.softmax();
      }
      select(candidates, generator);
    },
  },

  dist: {
    off: () => false,
    apply(candidates, s) {
      const draw = new Mt19937(s.seed).double();
      const max = candidates.max();
      const { data } = candidates;
      for (const candidate of data) candidate.p = exp(single(rank(candidate) - max));
      const total = data.reduce((sum, candidate) => sum + candidate.p, 0);
      const target = total * draw;
      let running = 0;
      const hit = data.find(({ p }) => (running += p) >= target && p > 0);
      candidates.selected = hit ?? data[data.length - 1];
      for (const candidate of data) candidate.p = single(candidate.p / total);
    },
  },
};
