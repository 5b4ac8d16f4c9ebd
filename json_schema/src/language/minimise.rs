//! Merges states from which the same texts are accepted.
//!
//! The algorithm of Valmari, "Fast brief practical DFA minimization" (2012): blocks of states and
//! blocks of edges refine each other, and only the smaller part of a block is looked at again, so
//! it takes time in proportion to the edges times a logarithm. It is at home with automata that
//! lack edges.

use rustc_hash::FxHashMap;

use super::class::{CharRange, CharSet, following};
use super::store::TooLarge;

/// Leads from a state to another one.
#[derive(Debug)]
pub(super) struct Edge<'a> {
    pub(super) from: usize,
    pub(super) set: &'a CharSet,
    pub(super) to: usize,
}

/// How many edges by single letters there may be.
const MOST_EDGES: usize = 1_000_000;

/// By state, the number of its block. States may be left out of the edges; where they go is not
/// said.
pub(super) fn minimise(accepting: &[bool], edges: &[Edge<'_>]) -> Result<Vec<usize>, TooLarge> {
    let Letters { of_set, set_of, count } = Letters::new(edges)?;
    let inside = |edge: usize| of_set[set_of[edge]].iter();
    if (0..edges.len()).map(|edge| inside(edge).len()).sum::<usize>() > MOST_EDGES {
        return Err(TooLarge);
    }
    // Half the size of places in memory: of large automata all of this takes much of it.
    let by_letter = || {
        edges.iter().enumerate().flat_map(|(index, edge)| {
            let arrow = (edge.from as u32, edge.to as u32);
            inside(index).map(move |&letter| (letter, arrow))
        })
    };
    let arrows = Grouped::new(count, by_letter);

    let mut blocks = Partition::new(accepting.len());
    for state in (0..accepting.len()).filter(|&state| accepting[state]) {
        blocks.mark(state);
    }
    blocks.split();
    let mut cords = Partition::new(arrows.all.len());
    for letter in 0..count {
        arrows.range(letter).for_each(|arrow| cords.mark(arrow));
        cords.split();
    }

    let by_target = || (0_u32..).zip(&arrows.all).map(|(arrow, &(_, to))| (to as usize, arrow));
    let arriving = Grouped::new(accepting.len(), by_target);
    // The arrows into one block need not be looked at: they are what the others leave.
    let (mut block, mut cord) = (1, 0);
    while cord < cords.len() {
        for index in cords.range(cord) {
            blocks.mark(arrows.all[cords.elements[index] as usize].0 as usize);
        }
        blocks.split();
        cord += 1;
        while block < blocks.len() {
            for index in blocks.range(block) {
                for &arrow in &arriving.all[arriving.range(blocks.elements[index] as usize)] {
                    cords.mark(arrow as usize);
                }
            }
            cords.split();
            block += 1;
        }
    }
    Ok(blocks.block.into_iter().map(|block| block as usize).collect())
}

/// Things of which those of a group lie side by side.
struct Grouped<T> {
    all: Vec<T>,
    /// Where those of each group begin; one more for the end.
    starts: Vec<u32>,
}

impl<T: Copy + Default> Grouped<T> {
    /// `things` gives each with its group, the same each time.
    fn new<I: Iterator<Item = (usize, T)>>(groups: usize, things: impl Fn() -> I) -> Self {
        let mut starts = vec![0_u32; groups + 1];
        things().for_each(|(group, _)| starts[group + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut all = vec![T::default(); starts[groups] as usize];
        for (group, thing) in things() {
            all[next[group] as usize] = thing;
            next[group] += 1;
        }
        Self { all, starts }
    }

    /// Where those of a group lie.
    fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }
}

/// The letters of an automaton: what no edge tells apart is one letter.
struct Letters {
    /// By set of code points, the letters in it.
    of_set: Vec<Vec<usize>>,
    /// By edge, the number of its set.
    set_of: Vec<usize>,
    /// How many letters there are.
    count: usize,
}

impl Letters {
    fn new<'a>(edges: &[Edge<'a>]) -> Result<Self, TooLarge> {
        let mut numbers: FxHashMap<&'a CharSet, usize> = FxHashMap::default();
        let mut sets: Vec<&'a CharSet> = Vec::new();
        let number = |edge: &Edge<'a>| {
            *numbers.entry(edge.set).or_insert_with(|| {
                sets.push(edge.set);
                sets.len() - 1
            })
        };
        let set_of = edges.iter().map(number).collect();
        // No bound lies within a run of code points from one of these to the next.
        let bounds = sets.iter().flat_map(|set| set.ranges());
        let bounds = bounds.flat_map(|&(lo, hi)| [Some(lo), following(hi)]).flatten();
        let mut runs: Vec<char> = std::iter::once('\0').chain(bounds).collect();
        runs.sort_unstable();
        runs.dedup();
        let at = |c| runs.partition_point(|&start| start < c);
        let covered = |&(lo, hi): &CharRange| at(lo)..following(hi).map_or(runs.len(), at);
        let runs_of = |set: &CharSet| set.ranges().iter().flat_map(covered).collect();
        let mut of_set: Vec<Vec<usize>> = Vec::with_capacity(sets.len());
        let mut partition = Partition::new(runs.len());
        let mut looks = 0;
        for set in sets {
            let inside: Vec<usize> = runs_of(set);
            looks += inside.len();
            if looks > MOST_EDGES {
                return Err(TooLarge);
            }
            for &run in &inside {
                partition.mark(run);
            }
            partition.split();
            of_set.push(inside);
        }
        for inside in &mut of_set {
            for run in inside.iter_mut() {
                *run = partition.block[*run] as usize;
            }
            inside.sort_unstable();
            inside.dedup();
        }
        Ok(Self { of_set, set_of, count: partition.len() })
    }
}

/// A partition of the numbers below some number that can be refined.
struct Partition {
    /// The members of a block lie side by side, the marked ones first.
    elements: Vec<u32>,
    /// By element, where it lies.
    place: Vec<u32>,
    /// By element, its block.
    block: Vec<u32>,
    /// By block, where its members begin and end.
    bounds: Vec<(usize, usize)>,
    /// By block, how many members are marked.
    marked: Vec<usize>,
    /// Blocks with marked members.
    touched: Vec<usize>,
}

impl Partition {
    fn new(size: usize) -> Self {
        let blocks = usize::from(size > 0);
        Self {
            elements: (0..size as u32).collect(),
            place: (0..size as u32).collect(),
            block: vec![0; size],
            bounds: vec![(0, size); blocks],
            marked: vec![0; blocks],
            touched: Vec::new(),
        }
    }

    /// The number of blocks.
    fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Where the members of a block lie.
    fn range(&self, block: usize) -> std::ops::Range<usize> {
        self.bounds[block].0..self.bounds[block].1
    }

    /// Marks an element.
    fn mark(&mut self, element: usize) {
        let block = self.block[element] as usize;
        let (from, to) = (self.place[element] as usize, self.bounds[block].0 + self.marked[block]);
        if from < to {
            return;
        }
        self.elements.swap(from, to);
        self.place[self.elements[from] as usize] = from as u32;
        self.place[element] = to as u32;
        if self.marked[block] == 0 {
            self.touched.push(block);
        }
        self.marked[block] += 1;
    }

    /// Splits blocks into marked and other members, the smaller part as a new block, and
    /// forgets the marks.
    fn split(&mut self) {
        while let Some(block) = self.touched.pop() {
            let (start, end) = self.bounds[block];
            let middle = start + std::mem::take(&mut self.marked[block]);
            if middle == end {
                continue;
            }
            let (new, old) = if middle - start <= end - middle {
                ((start, middle), (middle, end))
            } else {
                ((middle, end), (start, middle))
            };
            let number = self.bounds.len();
            for &element in &self.elements[new.0..new.1] {
                self.block[element as usize] = number as u32;
            }
            self.bounds[block] = old;
            self.bounds.push(new);
            self.marked.push(0);
        }
    }
}
