//! Addresses of the Internet Protocol: RFC 2673, section 3.2 and RFC 4291, section 2.2.

/// Four numbers up to 255, without leading zeros.
pub(super) fn ipv4() -> String {
    let octet = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";
    format!(r"{octet}(?:\.{octet}){{3}}")
}

/// Eight groups of hexadecimal digits; `::` once for one group of zeros or more.
pub(super) fn ipv6() -> String {
    ipv6_with_gap(1)
}

/// `::` stands for at least so many groups.
pub(super) fn ipv6_with_gap(least: usize) -> String {
    const GROUPS: usize = 8;
    let group = "[0-9A-Fa-f]{1,4}";
    // The last two groups may be written as an address of version 4.
    let two = format!("(?:{group}:{group}|{})", ipv4());
    let mut forms = vec![format!("(?:{group}:){{6}}{two}")];
    for after in 0..=GROUPS - least {
        let before = match GROUPS - least - after {
            0 => String::new(),
            most => format!("(?:{group}(?::{group}){{0,{}}})?", most - 1),
        };
        let after = match after {
            0 => String::new(),
            1 => group.to_owned(),
            _ => format!("(?:{group}:){{{}}}{two}", after - 2),
        };
        forms.push(format!("{before}::{after}"));
    }
    forms.join("|")
}
