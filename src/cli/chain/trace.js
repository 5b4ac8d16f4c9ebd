// A chain applied sampler by sampler, with all that is left of the candidates behind each.

/** The names of the samplers that settings ask for, in order. */
function links(settings) {
  const bias = settings.logit_bias.length > 0 ? ["logit-bias"] : [];
  if (settings.mirostat === 1) return [...bias, "temp", "mirostat"];
  if (settings.mirostat === 2) return [...bias, "temp", "mirostat-v2"];
  const end = settings.samplers.includes("adaptive-p") ? "adaptive-p" : "dist";
  return [...bias, ...settings.samplers.filter((name) => name !== "adaptive-p"), end];
}

/** The probability that a draw gives a logit now, in double precision; null: it is out. */
function shares(logits) {
  const here = logits.filter((logit) => logit !== null);
  const max = here.reduce((max, logit) => (logit > max ? logit : max), -Infinity);
  const sum = here.reduce((sum, logit) => sum + Math.exp(logit - max), 0);
  return logits.map((logit) => (logit === null ? null : Math.exp(logit - max) / sum));
}

/** Whether a draw may still hit it. */
const alive = (logit) => logit !== null && logit !== -Infinity;

/** Settings in single precision, as the library has them; a seed is a whole number. */
function rounded(settings) {
  const round = ([name, value]) =>
    typeof value === "number" && name !== "seed" ? [name, single(value)] : [name, value];
  return Object.fromEntries(Object.entries(settings).map(round));
}

/**
 * The steps: each a name, whether settings switch it off, and for each candidate its logit and its
 * share, null where it is out. With them: who cut a candidate (the index of a step), and which one is
 * selected.
 */
function trace({ settings: given, tokens, logits, allowed, history }) {
  const settings = rounded(given);
  const steps = [];
  const cutBy = tokens.map(() => null);
  const add = (name, off, logits) => {
    const previous = steps.at(-1);
    if (previous) {
      logits.forEach((logit, i) => {
        const removed = previous.logits[i] !== null && logit === null;
        if (removed || (alive(previous.logits[i]) && !alive(logit))) cutBy[i] ??= steps.length;
      });
    }
    const left = logits.filter(alive).length;
    steps.push({ name, off, left, logits, shares: off ? previous.shares : shares(logits) });
  };
  add("logits", false, logits.map(single));
  if (allowed) {
    const ids = new Set(allowed);
    const start = steps[0].logits;
    add("mask", false, start.map((logit, i) => (ids.has(tokens[i].id) ? logit : null)));
  }
  const { logits: start } = steps.at(-1);
  const here = tokens.map((_, i) => i).filter((i) => start[i] !== null);
  const candidates = new Candidates(here.map((i) => ({ id: tokens[i].id, logit: start[i] })));
  const places = new Map(tokens.map(({ id }, i) => [id, i]));
  for (const name of links(settings)) {
    const off = samplers[name].off(settings);
    if (!off && candidates.length > 0) samplers[name].apply(candidates, settings, { history });
    const logits = tokens.map(() => null);
    for (const { id, logit } of candidates.data) logits[places.get(id)] = logit;
    add(name, off, logits);
  }
  const { selected } = candidates;
  return { steps, cutBy, selected: selected ? places.get(selected.id) : null };
}

/** The candidates, the likeliest first. */
function likeliest(logits) {
  const key = (i) => (logits[i] > -Infinity ? logits[i] : -Infinity);
  // (Infinite ones have no difference.)
  return logits.map((_, i) => i).sort((a, b) => (key(a) === key(b) ? a - b : key(b) - key(a)));
}

/** JSON has no infinities. */
const written = (number) =>
  Number.isFinite(number) ? number : { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" }[number];

/** What `grammask chain --format json` prints. */
function report({ tokens, top }, { steps, cutBy, selected }) {
  const nameOf = ({ name, off }) => (off ? `?${name}` : name);
  const order = likeliest(steps[0].logits);
  const shown = order.filter((i, rank) => rank < top || i === selected);
  const others = order.filter((i, rank) => rank >= top && i !== selected);
  const fate = (step) => {
    if (step === null) return {};
    return steps[step].name === "mask" ? { masked: true } : { cut_by: steps[step].name };
  };
  return {
    steps: steps.map((step) => ({ name: nameOf(step), left: step.left })),
    candidates: shown.map((i) => ({
      ...tokens[i],
      ...fate(cutBy[i]),
      steps: steps.map(({ logits, shares }) =>
        logits[i] === null ? null : { logit: written(logits[i]), p: written(shares[i]) },
      ),
    })),
    others: {
      count: others.length,
      steps: steps.map(({ logits, shares }) => ({
        left: others.filter((i) => alive(logits[i])).length,
        p: written(others.reduce((sum, i) => sum + (shares[i] ?? 0), 0)),
      })),
    },
    selected: selected === null ? null : tokens[selected],
  };
}
