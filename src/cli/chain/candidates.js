// The candidates of one step, as the library holds them (sampler/src/candidates.rs). Every number
// is rounded to single precision where the library rounds it.

const single = Math.fround;
/** So many are not sorted by comparing them. */
const MANY = 1024;
const greatestNumber = 3.4028234663852886e38;
const exp = (x) => single(Math.exp(x));
const log = (x) => single(Math.log(x));
const pow = (x, y) => single(Math.pow(x, y));
const sum = (numbers) => numbers.reduce((sum, number) => single(sum + number), 0);

class Candidates {
  /** Of objects with an id and a logit. */
  constructor(list) {
    this.data = list.map(({ id, logit }) => ({ id, logit: single(logit), p: 0 }));
    this.sorted = false;
    this.selected = null;
  }

  get length() {
    return this.data.length;
  }

  /** The greatest logit. */
  max() {
    if (this.sorted) return rank(this.data[0]);
    return this.data.reduce((max, candidate) => Math.max(max, rank(candidate)), -Infinity);
  }

  /** Replaces the candidates by others, which makes the selection void. */
  keep(data) {
    if (data.length < this.length) this.selected = null;
    this.data = data;
  }

  sort() {
    this.partialSort(this.length);
  }

  /** Keeps the greatest logits, sorted. */
  partialSort(count) {
    if (!this.sorted) {
      count = Math.min(count, this.length);
      const isGoodPart = this.length > MANY && count > Math.floor(this.length / 16);
      if (count <= 128) partialSortRange(this.data, 0, this.length, count);
      else this.data = isGoodPart ? stableSort(this.data) : bucketSort(this.data, count);
      this.sorted = true;
      this.selected = null;
    }
    this.keep(this.data.slice(0, count));
  }

  /** Computes the probabilities. */
  softmax() {
    const max = this.max();
    for (const candidate of this.data) candidate.p = exp(single(rank(candidate) - max));
    const total = sum(this.data.map((candidate) => candidate.p));
    for (const candidate of this.data) candidate.p = single(candidate.p / total);
    return { max, total };
  }

  /** The same, and the entropy of the probabilities, in nats; of many in double precision. */
  softmaxEntropy() {
    const { max, total } = this.softmax();
    const possible = this.data.filter(({ p }) => p > 0);
    if (this.data.length <= MANY) return -sum(possible.map(({ p }) => single(p * log(p))));
    const term = ({ p, logit }) => p * (single(logit - max) - Math.log(total));
    return single(-possible.reduce((all, candidate) => all + term(candidate), 0));
  }

  /** Keeps the candidates with a probability, or else the best. */
  keepProbable(least, minKeep) {
    const { data } = this;
    minKeep = Math.max(minKeep, 1);
    if (data.length <= minKeep) return;
    const probable = data.filter(({ p }) => !(p < least));
    if (probable.length >= minKeep) return this.keep(probable);
    const last = data.map(rank).sort((a, b) => b - a)[minKeep - 1];
    this.keep(data.filter((candidate) => rank(candidate) >= last));
  }

  /** Keeps the best candidates whose probabilities reach a mass. */
  keepMass(mass, minKeep) {
    const first = 256;
    const reach = (data) => {
      let sum = 0;
      const last = data.findIndex((candidate, i) => {
        sum = single(sum + candidate.p);
        return sum >= mass && i + 1 >= minKeep;
      });
      return last < 0 ? null : last + 1;
    };
    if (this.sorted || this.length <= MANY) {
      this.sort();
      return this.keep(this.data.slice(0, reach(this.data) ?? this.length));
    }
    let sorted = bucketSort(this.data, first);
    let kept = reach(sorted.slice(0, first));
    if (kept === null) {
      sorted = stableSort(this.data);
      kept = reach(sorted) ?? this.length;
    }
    this.keep(sorted.slice(0, kept));
    this.sorted = true;
    this.selected = null;
  }
}
