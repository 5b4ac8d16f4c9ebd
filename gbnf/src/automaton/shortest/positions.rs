//! What is needed from each position of a program on: those that need the least come first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::automaton::label::Label;
use crate::automaton::lists::List;
use crate::automaton::members::{Kind, ShapeMember};
use crate::automaton::program::{Op, Position};
use crate::automaton::shortest::shapes::{ShapeNeeds, plus, times};
use crate::automaton::shortest::{NEVER, Needs, Present};

impl Needs {
    /// Finds what each position needs that can be reached.
    pub(super) fn settle(&mut self) {
        let program = Arc::clone(&self.program);
        self.shapes = program
            .shapes
            .iter()
            .map(|shape| ShapeNeeds {
                values: vec![NEVER; shape.members.len()],
                keys: vec![NEVER; shape.members.len()],
                separator: NEVER,
                next: NEVER,
            })
            .collect();
        // From each position to those that lead to it.
        let mut from: Vec<Vec<Position>> = vec![Vec::new(); program.ops.len()];
        let mut is_reached = vec![false; program.ops.len()];
        let mut ahead = vec![program.start];
        while let Some(position) = ahead.pop() {
            if std::mem::replace(&mut is_reached[position.index()], true) {
                continue;
            }
            for to in self.leads_to(position) {
                from[to.index()].push(position);
                ahead.push(to);
            }
        }
        let mut found = BinaryHeap::from([Reverse((0, Position::RETURN))]);
        for (position, _) in (0..).map(Position).zip(&program.ops) {
            if is_reached[position.index()] {
                // What needs no other position.
                self.look_at(position, &mut found);
            }
        }
        while let Some(Reverse((needed, position))) = found.pop() {
            if self.positions[position.index()] != NEVER {
                continue;
            }
            self.positions[position.index()] = needed;
            for before in std::mem::take(&mut from[position.index()]) {
                self.look_at(before, &mut found);
            }
        }
        // An object needs what its cheapest members do; the others have been found behind it.
        for (position, op) in program.ops.iter().enumerate() {
            if let &Op::Key(index) = op
                && is_reached[position]
            {
                self.take_over(index);
            }
        }
    }

    /// The positions that others depend on.
    fn leads_to(&mut self, position: Position) -> Vec<Position> {
        let program = Arc::clone(&self.program);
        match program.op(position) {
            Op::Return | Op::After(_) | Op::ItemEnd(_) => Vec::new(),
            Op::Fork(to) => to.to_vec(),
            Op::Take { next, .. } | Op::Token { next, .. } => vec![*next],
            Op::Call { to, next } => vec![*to, *next],
            Op::Count(index) => {
                let looped = &program.loops[*index as usize];
                vec![looped.body, looped.next]
            }
            Op::Key(index) => {
                let shape = &program.shapes[*index as usize];
                for (at, member) in shape.members.iter().enumerate() {
                    if !shape.is_many(at as u32) {
                        let key = Label::Term(member.key);
                        self.shapes[*index as usize].keys[at] = self.label(key);
                    }
                }
                let values = shape.members.iter().map(|member| member.value);
                values.chain([shape.separator, shape.next]).collect()
            }
            Op::Item(index) => {
                let list = &program.lists[*index as usize];
                list.starts().chain([list.separator, list.next]).collect()
            }
        }
    }

    /// Notes what a position needs as far as it is known by now.
    fn look_at(&mut self, position: Position, found: &mut BinaryHeap<Reverse<(u32, Position)>>) {
        if self.positions[position.index()] != NEVER {
            return;
        }
        let program = Arc::clone(&self.program);
        let needed = match program.op(position) {
            Op::Return | Op::After(_) | Op::ItemEnd(_) => NEVER,
            Op::Fork(to) => to.iter().map(|&to| self.position(to)).min().unwrap_or(NEVER),
            &Op::Take { label, next } => match self.position(next) {
                NEVER => NEVER,
                next => plus(self.label(label), next),
            },
            &Op::Token { token, next } => {
                let token = self.label(Label::Token(token));
                plus(token, self.position(next))
            }
            &Op::Call { to, next } => plus(self.position(to), self.position(next)),
            Op::Count(index) => {
                let looped = &program.loops[*index as usize];
                let more = times(looped.min.saturating_sub(1), self.position(looped.body));
                plus(more, self.position(looped.next))
            }
            &Op::Key(index) => {
                let shape = &program.shapes[index as usize];
                let is_unknown = |member: &ShapeMember| {
                    member.kind == Kind::Required && self.value(member) == NEVER
                };
                if shape.members.iter().any(is_unknown) {
                    return;
                }
                self.take_over(index);
                let next = self.shapes[index as usize].next;
                if next == NEVER { NEVER } else { self.member(index, Present::NONE) }
            }
            Op::Item(index) => self.items(&program.lists[*index as usize], 0),
        };
        if needed != NEVER {
            found.push(Reverse((needed, position)));
        }
    }

    /// Notes what the parts of a shape need as far as it is known by now.
    fn take_over(&mut self, index: u32) {
        let program = Arc::clone(&self.program);
        let shape = &program.shapes[index as usize];
        let values = shape.members.iter().map(|member| self.value(member)).collect();
        let separator = if shape.separator_nullable { 0 } else { self.position(shape.separator) };
        let next = self.position(shape.next);
        let needs = &mut self.shapes[index as usize];
        (needs.values, needs.separator, needs.next) = (values, separator, next);
    }

    fn value(&self, member: &ShapeMember) -> u32 {
        if member.value_nullable { 0 } else { self.position(member.value) }
    }

    /// What a further item of a list with `count` of them needs, up to the end of the rule behind the
    /// list. As long as several items are needed, which must differ, that is only known of what
    /// ignores it.
    pub(crate) fn items(&self, list: &List, count: u32) -> u32 {
        let needed = list.min.saturating_sub(count).max(1);
        if needed > 1 && !self.ignores_items() {
            return NEVER;
        }
        let first = (count..count.saturating_add(needed))
            .take_while(|&at| (at as usize) < list.first.len());
        let mut left = needed;
        let mut sum = 0;
        for at in first {
            sum = plus(sum, self.position(list.first[at as usize]));
            left -= 1;
        }
        if left > 0 {
            let rest = list.rest.map_or(NEVER, |rest| self.position(rest));
            sum = plus(sum, times(left, rest));
        }
        plus(plus(sum, times(needed - 1, self.separator(list))), self.position(list.next))
    }

    /// What stands between two items needs.
    pub(crate) fn separator(&self, list: &List) -> u32 {
        if list.separator_nullable { 0 } else { self.position(list.separator) }
    }
}
