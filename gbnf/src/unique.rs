//! What the items of `@unique` must be, as far as their form shows it.

use crate::diagnostic::{Code, Diagnostic};
use crate::grammar::{Expr, ExprKind, Unique};

/// Whether an item is written `x*`: any further one, if it is the last.
pub(crate) fn is_rest(item: &Expr) -> bool {
    matches!(item.kind, ExprKind::Repeat { min: 0, max: None, .. })
}

/// Reports items that stand for further ones before the last item.
pub(crate) fn check_items(list: &Unique, faults: &mut Vec<Diagnostic>) {
    for item in list.first.iter().filter(|item| is_rest(item)) {
        let fault = "only the last item may stand for all further ones";
        faults.push(Diagnostic::new(Code::BadItem, item.span, fault));
    }
}
