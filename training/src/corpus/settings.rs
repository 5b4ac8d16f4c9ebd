//! Settings of programs, and the machines that they run on.

use serde_json::{Value, json};

use super::draw::Draw;
use super::topic::{Topic, field};
use super::words;

/// An address of a machine.
pub(super) fn host(draw: &mut Draw) -> String {
    match draw.int(0, 3) {
        0 => "localhost".to_owned(),
        1 => ip(draw),
        2 => format!("{}.example.com", draw.pick(&words::SERVICES)),
        _ => format!("{}.internal", draw.pick(&words::SERVICES)),
    }
}

/// An address of a private network, version 4.
pub(super) fn ip(draw: &mut Draw) -> String {
    match draw.int(0, 2) {
        0 => format!("192.168.{}.{}", draw.int(0, 9), draw.int(1, 254)),
        1 => format!("10.0.{}.{}", draw.int(0, 9), draw.int(1, 254)),
        _ => "127.0.0.1".to_owned(),
    }
}

fn port(draw: &mut Draw) -> i64 {
    draw.pick(&[80, 443, 22, 3000, 3306, 5000, 5432, 6379, 8000, 8080, 8443, 9000, 9090])
}

pub(super) const SETTINGS: Topic = Topic {
    names: &["settings", "a configuration", "preferences", "options"],
    fields: &[
        field(
            &["theme", "color scheme", "appearance"],
            |d, _| json!(d.pick(&["light", "dark", "auto"])),
            "{} theme",
        ),
        field(&["font size", "text size"], |d, _| json!(d.int(10, 24)), "font size {}"),
        field(
            &["plugins", "extensions", "modules", "features"],
            |d, _| {
                let n = d.size(0, 4);
                json!(d.some(&words::PLUGINS, n))
            },
            "",
        ),
        field(
            &["proxy"],
            |d, _| {
                if d.chance(40) { Value::Null } else { json!({"host": host(d), "port": port(d)}) }
            },
            "",
        ),
        field(
            &["language", "locale", "ui language"],
            |_, f| json!(f.place.language),
            "language {}",
        ),
        field(
            &[
                "auto save",
                "autosave",
                "notifications",
                "word wrap",
                "line numbers",
                "debug",
                "dark mode",
                "sound",
                "spell check",
                "telemetry",
            ],
            |d, _| json!(d.chance(55)),
            "",
        ),
        field(
            &["font", "font family"],
            |d, _| {
                json!(d.pick(&["monospace", "sans-serif", "serif", "Fira Code", "Inter", "Arial"]))
            },
            "font {}",
        ),
        field(
            &["tab size", "indent", "indent size"],
            |d, _| json!(d.pick(&[2, 4, 8])),
            "tab size {}",
        ),
        field(
            &["volume", "brightness", "zoom", "opacity"],
            |d, _| json!(d.int(0, 20) * 5),
            "volume {}",
        ),
        field(
            &["timeout", "timeout seconds", "timeout ms", "interval", "delay"],
            |d, _| json!(d.pick(&[5, 10, 30, 60, 120, 300, 1000, 5000])),
            "timeout {}",
        ),
        field(
            &["log level", "level", "verbosity"],
            |d, _| json!(d.pick(&["debug", "info", "warn", "error", "trace"])),
            "log level {}",
        ),
        field(
            &["editor", "window", "display"],
            |d, _| json!({"width": d.pick(&[800, 1024, 1280, 1920]), "height": d.pick(&[600, 768, 720, 1080]), "fullscreen": d.chance(30)}),
            "",
        ),
        field(
            &[
                "max connections",
                "max retries",
                "retries",
                "max items",
                "limit",
                "page size",
                "workers",
                "threads",
            ],
            |d, _| json!(d.pick(&[1, 2, 3, 4, 5, 8, 10, 20, 50, 100])),
            "",
        ),
        field(
            &["cache", "cache dir", "data dir", "output dir", "path", "directory"],
            |d, _| json!(d.pick(&words::FOLDERS)),
            "",
        ),
        field(&["time zone", "timezone"], |_, f| json!(f.place.zone), ""),
        field(&["version", "config version", "schema version"], |d, _| json!(d.int(1, 5)), ""),
        field(
            &["mode", "environment", "env", "profile"],
            |d, _| json!(d.pick(&["development", "production", "test", "staging", "default"])),
            "{} mode",
        ),
        field(
            &["shortcuts", "keys", "key bindings"],
            |d, _| json!({"save": "Ctrl+S", "open": d.pick(&["Ctrl+O", "Ctrl+P"])}),
            "",
        ),
    ],
};

pub(super) const SERVER: Topic = Topic {
    names: &["a server", "a database connection", "a service", "a machine"],
    fields: &[
        field(
            &["host", "hostname", "server", "address", "domain", "endpoint"],
            |d, _| json!(host(d)),
            "on {}",
        ),
        field(&["port", "server port"], |d, _| json!(port(d)), "port {}"),
        field(
            &["protocol", "scheme"],
            |d, _| json!(d.pick(&["http", "https", "tcp", "udp", "ssh", "ws"])),
            "{}",
        ),
        field(
            &["name", "service", "service name", "server name"],
            |d, _| json!(d.pick(&words::SERVICES)),
            "service {}",
        ),
        field(&["ip", "ip address", "address"], |d, _| json!(ip(d)), "address {}"),
        field(
            &["username", "user"],
            |d, f| if d.chance(50) { json!("admin") } else { json!(f.person.username(d)) },
            "user {}",
        ),
        field(&["password", "secret"], |d, _| json!(d.hex(10)), ""),
        field(
            &["database", "db", "database name", "schema"],
            |d, _| {
                json!(d.pick(&["app", "users", "shop", "test", "main", "analytics", "postgres"]))
            },
            "database {}",
        ),
        field(
            &["ssl", "tls", "secure", "enabled", "healthy", "running"],
            |d, _| json!(d.chance(60)),
            "",
        ),
        field(
            &["region", "zone", "datacenter"],
            |d, _| {
                json!(d.pick(&[
                    "eu-west-1",
                    "us-east-1",
                    "eu-central-1",
                    "ap-south-1",
                    "us-west-2"
                ]))
            },
            "in {}",
        ),
        field(
            &["cpus", "cores", "cpu", "replicas", "nodes"],
            |d, _| json!(d.pick(&[1, 2, 4, 8, 16, 32])),
            "{} cores",
        ),
        field(
            &["memory", "memory mb", "ram", "mem"],
            |d, _| {
                if d.chance(50) {
                    json!(d.pick(&[512, 1024, 2048, 4096, 8192]))
                } else {
                    json!(d.pick(&["512Mi", "1Gi", "2Gi", "256Mi"]))
                }
            },
            "",
        ),
        field(&["disk", "disk gb", "storage"], |d, _| json!(d.pick(&[20, 50, 100, 250, 500])), ""),
        field(
            &["os", "operating system", "platform"],
            |d, _| json!(d.pick(&["linux", "windows", "macos", "ubuntu", "debian"])),
            "{}",
        ),
        field(
            &["status", "state", "phase"],
            |d, _| json!(d.pick(&["running", "stopped", "healthy", "degraded", "starting"])),
            "{}",
        ),
        field(
            &["uptime", "uptime seconds", "latency", "latency ms", "load"],
            |d, _| json!(d.magnitude(90_000)),
            "",
        ),
        field(
            &["url", "base url", "uri"],
            |d, _| json!(format!("https://{}.example.com", d.pick(&words::SERVICES))),
            "",
        ),
        field(
            &["tags", "labels"],
            |d, _| json!({"env": d.pick(&["prod", "test", "dev"]), "team": d.pick(&words::SERVICES)}),
            "",
        ),
        field(
            &["mac", "mac address"],
            |d, _| json!((0..6).map(|_| d.hex(2)).collect::<Vec<_>>().join(":")),
            "",
        ),
    ],
};
