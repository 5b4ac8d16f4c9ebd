//! Normal forms to rules of a grammar.
//!
//! Each gap of whitespace has one owner: the token before it. So after any token but the last
//! there is exactly one gap, and nothing is ambiguous about where it ends.

mod array;
mod format;
mod language;
mod multiples;
mod number;
mod object;
mod ordered;
mod reachable;
mod string;
mod syntax;
mod terminal;
mod whitespace;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use grammask_gbnf::{Expr, ExprKind, Grammar};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::error::SchemaError;
use crate::format::Format;
use crate::language::{CharSet, LanguageId};
use crate::normal::{Normal, NumberSet, Term, TermId, is_any};
use crate::normalise::Normaliser;
use crate::options::{Notation, Options, Order};
use crate::syntax::{ElementValue, Syntax};
use crate::table::Table;
use multiples::Stepped;
pub(crate) use reachable::Reachable;
use reachable::Targets;
use syntax::{ElementValues, Lettering};
use terminal::{SINGLE, Terminal};

/// What came out.
pub(crate) struct Emitted {
    pub(crate) grammar: Grammar,
    /// Whether there is any document.
    pub(crate) satisfiable: bool,
    /// How the values of elements are written, by their keys, and those of all other keys.
    pub(crate) elements: (Vec<(Arc<str>, ElementValue)>, Option<ElementValue>),
}

/// What of a term is written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Manner {
    /// Its values.
    Value,
    /// Its objects, in the syntax that is asked for.
    Arguments,
    /// Its strings as raw text, without the literals `null`, `false` and `true`, as said.
    Text { except: [bool; 3] },
    /// Its values but for strings.
    Others,
}

/// The grammar of the whole document; in a syntax, of its objects.
pub(crate) fn emit(
    normaliser: &mut Normaliser<'_, '_>,
    reachable: Reachable,
    syntax: Option<&Syntax>,
) -> Result<Emitted, SchemaError> {
    let options = normaliser.reader.options;
    let possible = reachable.possible(&mut normaliser.reader.terms, options);
    let Reachable { root, normals, targets, .. } = reachable;
    // Most terms have a rule, and many another one for the rest of their members or items.
    let mut grammar = Grammar::default();
    grammar.rules.reserve(2 * normals.len());
    let mut emitter = Emitter {
        normaliser,
        options,
        possible,
        targets,
        grammar,
        nodes: 0,
        current: root,
        single: false,
        syntax: syntax.cloned().unwrap_or_default(),
        manner: Manner::Value,
        in_key: false,
        values: ElementValues::default(),
        has_arguments: false,
        names: FxHashMap::with_capacity_and_hasher(normals.len(), FxBuildHasher),
        taken: HashSet::with_capacity(2 * normals.len()),
        counters: HashMap::new(),
        stepped: Vec::new(),
        classes: FxHashMap::default(),
        texts: FxHashMap::default(),
        formats: FxHashMap::default(),
        pending: VecDeque::new(),
        terminals: Vec::new(),
        notes: Vec::new(),
    };
    let mut known = Normals::with_capacity(emitter.normaliser.reader.terms.len());
    for (term, normal) in normals {
        known.insert(term, normal);
    }
    let manner = if syntax.is_some() { Manner::Arguments } else { Manner::Value };
    let satisfiable = emitter.document(root, manner, &known)?;
    let ElementValues { declared, others } = emitter.values;
    let text = |key| emitter.normaliser.reader.terms.keys.text(key).clone();
    let declared = declared.into_iter().map(|(key, value)| (text(key), value)).collect();
    let elements = (declared, others);
    let (mut grammar, notes) = (emitter.grammar, emitter.notes);
    if options.notation == Notation::Plain {
        grammar = grammar.with_split_counts();
    }
    normaliser.reader.notes.extend(notes);
    Ok(Emitted { grammar, satisfiable, elements })
}

/// The normal forms of terms.
type Normals = Table<TermId, Rc<Normal>>;

/// What has a rule: a term, whether each value has one spelling, and what of it is written.
type Written = (TermId, bool, Manner);

struct Emitter<'n, 's, 'o> {
    normaliser: &'n mut Normaliser<'s, 'o>,
    options: &'o Options,
    possible: Table<TermId, ()>,
    targets: Targets,
    grammar: Grammar,
    /// Nodes of the grammar so far.
    nodes: usize,
    /// The term whose rules are being written.
    current: TermId,
    /// Whether each value is to have one spelling, but for blanks: see [`Emitter::singly`].
    single: bool,
    /// How objects are written.
    syntax: Syntax,
    /// What of the current term is being written.
    manner: Manner,
    /// Whether a key is being written that is raw.
    in_key: bool,
    /// How the values of elements are written.
    values: ElementValues,
    /// Whether there are any objects of the root.
    has_arguments: bool,
    /// The rules of terms, and those with one spelling for each value.
    names: FxHashMap<Written, String>,
    taken: HashSet<String>,
    /// How often a name was asked for.
    counters: HashMap<String, usize>,
    /// The rules of numbers with steps.
    stepped: Vec<Stepped>,
    /// The rules of large classes of characters.
    classes: FxHashMap<(CharSet, Lettering), String>,
    /// The rules of strings of a language, so long at least and so long at most.
    texts: FxHashMap<(LanguageId, u64, Option<u64>, Lettering), String>,
    /// The rules of formats.
    formats: FxHashMap<Format, String>,
    /// Rules that are named but not written.
    pending: VecDeque<Written>,
    /// Shared terminals that are used.
    terminals: Vec<(Terminal, bool)>,
    notes: Vec<String>,
}

impl Emitter<'_, '_, '_> {
    /// Writes all rules.
    fn document(
        &mut self,
        root: TermId,
        manner: Manner,
        normals: &Normals,
    ) -> Result<bool, SchemaError> {
        self.taken.insert("root".to_owned());
        if !self.possible.contains(root) {
            self.rule("root".to_owned(), Expr::nothing())?;
            return Ok(false);
        }
        self.names.insert((root, false, manner), "root".to_owned());
        self.pending.push_back((root, false, manner));
        while let Some(written) = self.pending.pop_front() {
            let name = self.names[&written].clone();
            let (term, single, of_term) = written;
            let normal = &normals[term];
            (self.current, self.single, self.manner) = (term, single, of_term);
            let body = match of_term {
                Manner::Arguments => self.arguments(&name, normal, normals)?,
                Manner::Value => match self.shared(normal) {
                    Some(body) => body,
                    None => self.union(&name, normal, normals)?,
                },
                Manner::Text { .. } | Manner::Others => self.union(&name, normal, normals)?,
            };
            self.rule(name, body)?;
            self.normaliser.place_large_patterns(term);
        }
        self.manner = Manner::Value;
        self.write_terminals()?;
        Ok(manner == Manner::Value || self.has_arguments)
    }

    /// A limit that one of some keywords reaches in what is being written.
    fn limit(&self, keywords: &[&str], name: &'static str, limit: usize) -> SchemaError {
        self.normaliser.limit(self.current, keywords, name, limit)
    }

    /// Writes with one spelling for each value, but for blanks: what is different is spelled
    /// differently and what is equal alike, as where no two items of an array may be equal.
    fn singly<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.single, true);
        let written = write(self);
        self.single = before;
        written
    }

    /// Whether a term has a value that can be written.
    fn is_possible(&self, term: TermId) -> bool {
        self.possible.contains(self.targets.of(term))
    }

    /// Says something in the report, once.
    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|one| one == note) {
            self.notes.push(note.to_owned());
        }
    }

    /// Adds a rule.
    fn rule(&mut self, name: String, body: Expr) -> Result<(), SchemaError> {
        self.measured_rule(name, measured(body))
    }

    /// The same with a body whose nodes have been counted.
    fn measured_rule(&mut self, name: String, (body, size): Body) -> Result<(), SchemaError> {
        self.nodes += size + 1;
        let limit = self.options.limits.grammar;
        if self.nodes > limit {
            return Err(self.limit(&[], "nodes of the grammar", limit));
        }
        self.grammar.add(name, body);
        Ok(())
    }

    /// What matches a value of the term: a reference.
    fn value(&mut self, term: TermId, normals: &Normals) -> Expr {
        self.value_in(term, normals, Manner::Value)
    }

    /// What matches what is to be written of the term: a reference.
    fn value_in(&mut self, term: TermId, normals: &Normals, manner: Manner) -> Expr {
        let term = self.targets.of(term);
        if manner == Manner::Value
            && let Some(shared) = self.shared(&normals[term])
        {
            return shared;
        }
        let key = (term, self.single, manner);
        if let Some(name) = self.names.get(&key) {
            return Expr::reference(name.clone());
        }
        let label = self.label(term);
        let name = self.fresh(&if self.single { format!("{SINGLE}{label}") } else { label });
        self.names.insert(key, name.clone());
        self.pending.push_back(key);
        Expr::reference(name)
    }

    /// The union over the types.
    fn union(
        &mut self,
        name: &str,
        normal: &Normal,
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let mut cases = Vec::new();
        if let Manner::Text { .. } = self.manner {
            for set in &normal.strings {
                cases.extend(self.string(name, set)?);
            }
            return Ok(choice(cases));
        }
        for shape in &normal.objects {
            let is_nothing = |child: TermId| !self.possible.contains(self.targets.of(child));
            let bounds = shape.bounds(&mut self.normaliser.reader.terms, is_nothing);
            if let Some(bounds) = bounds {
                cases.push(self.object(name, shape, bounds, normals)?);
            }
        }
        for shape in &normal.arrays {
            let is_nothing = |child: TermId| !self.possible.contains(self.targets.of(child));
            if let Some(shape) = shape.clone().pruned(is_nothing) {
                cases.push(self.array(name, &shape, normals)?);
            }
        }
        let strings = if self.manner == Manner::Others { &[][..] } else { &normal.strings };
        for set in strings {
            cases.extend(self.string(name, set)?);
        }
        for set in &normal.numbers {
            cases.extend(self.number(name, set)?);
        }
        self.constants(normal, &mut cases);
        Ok(choice(cases))
    }

    /// Adds the booleans and null of a normal form.
    fn constants(&mut self, normal: &Normal, cases: &mut Vec<Expr>) {
        match normal.booleans {
            [true, true] => cases.push(self.terminal(Terminal::Boolean)),
            [false, true] => cases.push(Expr::literal("true")),
            [true, false] => cases.push(Expr::literal("false")),
            [false, false] => {}
        }
        if normal.null {
            cases.push(Expr::literal("null"));
        }
    }

    /// The terminals that stand for a whole normal form, if some do.
    fn shared(&mut self, normal: &Normal) -> Option<Expr> {
        if normal.is_any() {
            return Some(self.terminal(Terminal::Value));
        }
        let one = |found: bool, none: bool| found.then_some(true).or(none.then_some(false));
        let object = one(is_any(&normal.objects), normal.objects.is_empty())?;
        let array = one(is_any(&normal.arrays), normal.arrays.is_empty())?;
        let string = one(is_any(&normal.strings), normal.strings.is_empty())?;
        let number = one(is_any(&normal.numbers), normal.numbers.is_empty());
        let integer = normal.numbers == [NumberSet::integers()];
        let number = if integer { false } else { number? };
        let mut cases = Vec::new();
        for (present, terminal) in [
            (object, Terminal::Object),
            (array, Terminal::Array),
            (string, Terminal::String),
            (number, Terminal::Number),
            (integer, Terminal::Integer),
        ] {
            if present {
                cases.push(self.terminal(terminal));
            }
        }
        self.constants(normal, &mut cases);
        Some(Expr::choice(cases))
    }

    /// A name for a rule that was not given before.
    fn fresh(&mut self, label: &str) -> String {
        if !Terminal::has_name(label) && self.taken.insert(label.to_owned()) {
            return label.to_owned();
        }
        let mut counter = self.counters.get(label).copied().unwrap_or(1);
        loop {
            counter += 1;
            let name = format!("{label}-{counter}");
            if self.taken.insert(name.clone()) {
                self.counters.insert(label.to_owned(), counter);
                return name;
            }
        }
    }

    /// A readable name for a term: the last names on the way to its schema.
    fn label(&self, term: TermId) -> String {
        let Some(id) = self.normaliser.schema_of(term) else {
            return match self.normaliser.reader.terms.get(term) {
                Term::Value(_) => "const".to_owned(),
                _ => "any".to_owned(),
            };
        };
        let pointer = self.normaliser.reader.document.pointer(id);
        let mut tokens = pointer.split('/').skip(1);
        let (mut before, mut last) = (Cow::default(), Cow::default());
        while let Some(token) = tokens.next() {
            let part = match token {
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" | "dependencies" => tokens.next().map(label),
                "items" | "prefixItems" => Some("item".into()),
                "additionalProperties"
                | "additionalItems"
                | "unevaluatedProperties"
                | "unevaluatedItems" => Some("other".into()),
                "anyOf" | "oneOf" | "allOf" => None,
                other => Some(label(other)),
            };
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                before = std::mem::replace(&mut last, part);
            }
        }
        match (&*before, &*last) {
            (_, "") => "part".to_owned(),
            ("", last) => last.to_owned(),
            (before, last) => format!("{before}-{last}"),
        }
    }

    /// The order of properties that is in force.
    fn order(&self) -> Order {
        match (self.options.notation, self.options.order) {
            (Notation::Plain, Order::Any) => Order::Declared,
            (_, order) => order,
        }
    }

    fn plain(&self) -> bool {
        self.options.notation == Notation::Plain
    }
}

/// A part of a rule's name: letters and digits, and single dashes inside.
fn label(text: &str) -> Cow<'_, str> {
    const MOST: usize = 32;
    if text.len() <= MOST && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return text.into();
    }
    let mut label = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            label.push(c);
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
        if label.len() >= MOST {
            break;
        }
    }
    label.truncate(label.trim_end_matches('-').len());
    label.into()
}

/// The body of a rule, with the number of its nodes.
type Body = (Arc<Expr>, usize);

/// Counts the nodes of a body.
fn measured(body: Expr) -> Body {
    let size = size(&body);
    (Arc::new(body), size)
}

/// The number of nodes.
fn size(expr: &Expr) -> usize {
    expr.descendants().count()
}

/// One after the other, flat, with neighbouring literals merged.
fn sequence(items: impl IntoIterator<Item = Expr>) -> Expr {
    let items = items.into_iter();
    let mut flat = Vec::with_capacity(items.size_hint().0);
    for item in items {
        match item.kind {
            ExprKind::Sequence(parts) => parts.into_iter().for_each(|part| append(&mut flat, part)),
            kind => append(&mut flat, Expr::new(kind)),
        }
    }
    Expr::sequence(flat)
}

/// Adds a part to a sequence.
fn append(flat: &mut Vec<Expr>, part: Expr) {
    if let Some(last) = flat.last_mut()
        && let ExprKind::Literal(before) = &mut last.kind
        && let ExprKind::Literal(text) = &part.kind
    {
        before.to_mut().push_str(text);
    } else {
        flat.push(part);
    }
}

/// One of them, flat.
fn choice(items: impl IntoIterator<Item = Expr>) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    for item in items {
        match item.kind {
            ExprKind::Choice(cases) => flat.extend(cases),
            kind => flat.push(Expr::new(kind)),
        }
    }
    Expr::choice(flat)
}
