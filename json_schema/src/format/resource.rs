//! Identifiers of resources and their templates: RFC 3986, appendix A, RFC 3987, section 2.2 and
//! RFC 6570, section 2.

use super::address;

const PERCENT_ENCODED: &str = r"%[\dA-Fa-f]{2}";

/// `ucschar`: what an IRI may have beyond ASCII.
const UCSCHAR: &str = concat!(
    r"\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}",
    r"\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}",
    r"\u{50000}-\u{5FFFD}\u{60000}-\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}",
    r"\u{90000}-\u{9FFFD}\u{A0000}-\u{AFFFD}\u{B0000}-\u{BFFFD}\u{C0000}-\u{CFFFD}",
    r"\u{D0000}-\u{DFFFD}\u{E1000}-\u{EFFFD}",
);

/// `iprivate`: what only the query of an IRI may have.
const IPRIVATE: &str = r"\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}";

/// The syntax of identifiers, over what it may have beyond ASCII, and what beside it in queries.
pub(super) struct Syntax {
    beyond: &'static str,
    private: &'static str,
}

pub(super) const URI: Syntax = Syntax { beyond: "", private: "" };
pub(super) const IRI: Syntax = Syntax { beyond: UCSCHAR, private: IPRIVATE };

impl Syntax {
    /// An unreserved character, a sub-delimiter, one of `more` or an encoded octet.
    fn character(&self, more: &str) -> String {
        format!(r"(?:[\w.~!$&'()*+,;={}{more}-]|{PERCENT_ENCODED})", self.beyond)
    }

    /// What follows the scheme, or stands without one: `hier-part` or `relative-part`, then query
    /// and fragment. `first` is a character of the first segment of a path without a slash.
    fn after_scheme(&self, first: &str) -> String {
        let userinfo = self.character(":");
        let name = self.character("");
        let segment = format!("{}*", self.character(":@"));
        let literal = format!(r"\[(?:{}|[Vv][\dA-Fa-f]+\.[\w.~!$&'()*+,;=:-]+)\]", address::ipv6());
        let authority = format!(r"//(?:{userinfo}*@)?(?:{literal}|{name}*)(?::\d*)?");
        let path = format!("{first}+(?:/{segment})*");
        let absolute = format!("/(?:{}+(?:/{segment})*)?", self.character(":@"));
        let query = self.character(&format!(":@/?{}", self.private));
        let fragment = self.character(":@/?");
        format!(
            r"(?:{authority}(?:/{segment})*|{absolute}|{path})?(?:\?{query}*)?(?:#{fragment}*)?"
        )
    }

    fn scheme(&self) -> String {
        format!(r"[A-Za-z][A-Za-z\d+.-]*:{}", self.after_scheme(&self.character(":@")))
    }

    /// With a scheme: `URI`.
    pub(super) fn absolute(&self) -> String {
        self.scheme()
    }

    /// With a scheme or without: `URI-reference`. Without one, the first segment has no colon.
    pub(super) fn reference(&self) -> String {
        format!("{}|{}", self.scheme(), self.after_scheme(&self.character("@")))
    }
}

/// `URI-Template`; its literals with the apostrophe (erratum 6937).
pub(super) fn template() -> String {
    let literal = format!(r"[!#$&-;=?-[\]_a-z~{UCSCHAR}{IPRIVATE}]|{PERCENT_ENCODED}");
    let character = format!(r"(?:\w|{PERCENT_ENCODED})");
    let variable = format!(r"{character}(?:\.?{character})*(?::[1-9]\d{{0,3}}|\*)?");
    let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
    format!("(?:{literal}|{expression})*")
}
