//! From the arguments to the options of a translation.

use grammask::json_schema::{
    DigitBounds, Draft, Formats, Notation, Numbers, Options, Order, Strictness, Strings,
    UnknownFormats, Whitespace,
};

use super::args::{
    DraftArg, FormatsArg, NumbersArg, OrderArg, SchemaArgs, StringsArg, UnknownFormatsArg,
    WhitespaceArg,
};

/// The options, with the notation that the grammar may use.
pub(super) fn resolve(args: &SchemaArgs, notation: Notation) -> Options {
    Options {
        order: match args.order {
            OrderArg::Any => Order::Any,
            OrderArg::Declared => Order::Declared,
            OrderArg::RequiredFirst => Order::RequiredFirst,
        },
        whitespace: match args.whitespace {
            WhitespaceArg::Bounded => Whitespace::Bounded,
            WhitespaceArg::Compact => Whitespace::Compact,
            WhitespaceArg::Python => Whitespace::Python,
            WhitespaceArg::Any => Whitespace::Any,
        },
        numbers: match args.numbers {
            NumbersArg::Canonical => Numbers::Canonical,
            NumbersArg::Any => Numbers::Any,
        },
        digits: DigitBounds {
            integer: args.integer_digits,
            fraction: args.fraction_digits,
            exponent: args.exponent_digits,
        },
        strings: match args.strings {
            StringsArg::Default => Strings::Default,
            StringsArg::Any => Strings::AnyEscape,
            StringsArg::Minimal => Strings::Minimal,
        },
        formats: match args.formats {
            FormatsArg::Assert => Formats::Assert,
            FormatsArg::Annotation => Formats::Annotation,
        },
        unknown_formats: match args.unknown_formats {
            UnknownFormatsArg::Annotation => UnknownFormats::Annotation,
            UnknownFormatsArg::Error => UnknownFormats::Error,
        },
        strictness: if args.lenient { Strictness::Lenient } else { Strictness::Strict },
        notation,
        draft: match args.draft {
            DraftArg::Draft202012 => Draft::Draft202012,
            DraftArg::Draft201909 => Draft::Draft201909,
            DraftArg::Draft7 => Draft::Draft7,
            DraftArg::Draft6 => Draft::Draft6,
            DraftArg::Draft4 => Draft::Draft4,
        },
        ..Options::default()
    }
}
