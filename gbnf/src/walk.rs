//! Over a tree without recursion.

use smallvec::{SmallVec, smallvec};

use crate::grammar::{Expr, ExprKind};

impl Expr {
    /// The parts of this expression, in source order; of [`ExprKind::Members`] the separator, then
    /// each key and value; of [`ExprKind::Unique`] the separator, then each item; of
    /// [`ExprKind::All`] what must match, then what must not.
    ///
    /// ```
    /// use grammask_gbnf::Expr;
    ///
    /// let both = Expr::sequence([Expr::literal("a"), Expr::reference("b")]);
    /// assert_eq!(both.children().count(), 2);
    /// ```
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Self> {
        let (mut separator, mut items, mut rest) = (None, &[][..], None);
        let (mut members, mut others) = (&[][..], &[][..]);
        match &self.kind {
            ExprKind::Sequence(parts) | ExprKind::Choice(parts) => items = parts,
            ExprKind::Repeat { item, .. } => items = std::slice::from_ref(&**item),
            ExprKind::Members(found) => {
                (separator, members) = (Some(&found.separator), &found.members);
            }
            ExprKind::Unique(list) => {
                (separator, items, rest) = (Some(&list.separator), &list.first, list.rest.as_ref());
            }
            ExprKind::All(found) => (items, others) = (&found.all, &found.none),
            _ => {}
        }
        let members = members.iter().flat_map(|member| [&member.key, &member.value]);
        separator.into_iter().chain(items).chain(rest).chain(others).chain(members)
    }

    /// This expression and all expressions in it, each before its parts, in source order.
    ///
    /// ```
    /// use grammask_gbnf::Expr;
    ///
    /// let both = Expr::sequence([Expr::literal("a").optional(), Expr::reference("b")]);
    /// assert_eq!(both.descendants().count(), 4);
    /// ```
    pub fn descendants(&self) -> impl Iterator<Item = &Self> {
        let mut ahead: SmallVec<[&Self; 8]> = smallvec![self];
        std::iter::from_fn(move || {
            let expr = ahead.pop()?;
            match &expr.kind {
                // Most are leaves: they are asked for nothing.
                ExprKind::Literal(_)
                | ExprKind::Class(_)
                | ExprKind::Any
                | ExprKind::Reference(_)
                | ExprKind::Token(_) => {}
                ExprKind::Sequence(items) | ExprKind::Choice(items) => {
                    ahead.extend(items.iter().rev());
                }
                ExprKind::Repeat { .. }
                | ExprKind::Members(_)
                | ExprKind::Unique(_)
                | ExprKind::All(_) => {
                    ahead.extend(expr.children().rev());
                }
            }
            Some(expr)
        })
    }
}
