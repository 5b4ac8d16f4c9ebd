//! What programmers keep in JSON: packages, repositories, requests, logs, manifests.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::{settings, words};

pub(super) fn version(draw: &mut Draw) -> String {
    format!("{}.{}.{}", draw.int(0, 5), draw.int(0, 20), draw.int(0, 9))
}

fn package(draw: &mut Draw) -> String {
    if draw.chance(50) {
        draw.pick(&words::PACKAGES).to_owned()
    } else {
        format!(
            "{}-{}",
            draw.pick(&words::WORDS),
            draw.pick(&["app", "tools", "core", "web", "api", "lib", "cli"])
        )
    }
}

fn dependencies(draw: &mut Draw, _: &Facts) -> Value {
    let count = draw.size(1, 3);
    let names = draw.some(&words::PACKAGES, count);
    Value::Object(
        names
            .into_iter()
            .map(|name| (name.to_owned(), json!(format!("^{}", version(draw)))))
            .collect(),
    )
}

fn file(draw: &mut Draw) -> String {
    format!("{}/{}", draw.pick(&words::FOLDERS), draw.pick(&words::FILES))
}

pub(super) const PACKAGE: Topic = Topic {
    names: &["a package", "a library", "a package manifest"],
    fields: &[
        field(&["name", "package", "crate", "module"], |d, _| json!(package(d)), "{}"),
        field(&["version", "latest version", "revision"], |d, _| json!(version(d)), "version {}"),
        field(
            &["description"],
            |d, _| {
                json!(format!(
                    "{} {} for {}",
                    d.pick(&["A small", "A fast", "A simple", "A tested"]),
                    d.pick(&["library", "tool", "parser", "server", "client", "framework"]),
                    d.pick(&[
                        "JSON",
                        "the web",
                        "text",
                        "dates",
                        "graphs",
                        "images",
                        "the command line"
                    ])
                ))
            },
            "",
        ),
        field(
            &["license"],
            |d, _| {
                json!(d.pick(&[
                    "MIT",
                    "Apache-2.0",
                    "BSD-3-Clause",
                    "GPL-3.0",
                    "MIT OR Apache-2.0",
                    "ISC"
                ]))
            },
            "license {}",
        ),
        field(&["author", "maintainer"], |_, f| json!(f.person.full()), "by {}"),
        field(
            &["dependencies", "dev dependencies", "peerDependencies", "requires"],
            dependencies,
            "",
        ),
        field(
            &["scripts", "commands"],
            |d, _| json!({"build": d.pick(&["tsc", "make", "webpack", "vite build"]), "test": d.pick(&["jest", "make test", "vitest", "mocha"])}),
            "",
        ),
        field(
            &["main", "entry", "module"],
            |d, _| {
                json!(d.pick(&[
                    "index.js",
                    "main.js",
                    "src/index.ts",
                    "lib/main.js",
                    "src/main.rs"
                ]))
            },
            "",
        ),
        field(
            &["keywords", "tags"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::TAGS, n))
            },
            "",
        ),
        field(
            &["homepage", "repository", "url", "documentation"],
            |d, _| json!(format!("https://example.com/{}", package(d))),
            "",
        ),
        field(&["private", "deprecated", "stable"], |d, _| json!(d.chance(30)), ""),
        field(&["engines"], |d, _| json!({"node": format!(">={}", d.pick(&[14, 16, 18, 20]))}), ""),
        field(&["downloads", "size", "size bytes"], |d, _| json!(d.magnitude(5_000_000)), ""),
        field(
            &["files", "include", "exclude"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&["src", "dist", "lib", "README.md", "tests", "*.js", "build"], n))
            },
            "",
        ),
    ],
};

pub(super) const REPOSITORY: Topic = Topic {
    names: &["a repository", "a commit", "a pull request", "a release"],
    fields: &[
        field(
            &["repository", "repo", "project", "name"],
            |d, f| json!(format!("{}/{}", f.person.username(d), package(d))),
            "{}",
        ),
        field(
            &["branch", "ref", "base", "head"],
            |d, _| {
                json!(d.pick(&[
                    "main",
                    "develop",
                    "master",
                    "feature/login",
                    "fix/typo",
                    "release"
                ]))
            },
            "branch {}",
        ),
        field(
            &["commit", "sha", "hash", "revision", "commit id"],
            |d, _| {
                let n = d.pick(&[7, 8, 12]);
                json!(d.hex(n))
            },
            "commit {}",
        ),
        field(
            &["message", "title", "commit message"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&["Fix", "Add", "Remove", "Update", "Rename", "Test"]),
                    d.pick(&[
                        "typo",
                        "tests",
                        "docs",
                        "login",
                        "build script",
                        "error message",
                        "cache",
                        "parser",
                        "logging",
                        "types"
                    ])
                ))
            },
            "\"{}\"",
        ),
        field(
            &["author", "committer", "user", "opened by"],
            |d, f| if d.chance(50) { json!(f.person.full()) } else { json!(f.person.username(d)) },
            "by {}",
        ),
        field(
            &["author", "committer"],
            |d, f| json!({"name": f.person.full(), "email": f.person.email(d)}),
            "",
        ),
        field(
            &["date", "committed at", "created at", "merged at"],
            |_, f| json!(f.date.instant()),
            "on {}",
        ),
        field(&["tag", "version", "tag name"], |d, _| json!(format!("v{}", version(d))), "tag {}"),
        field(
            &[
                "stars",
                "forks",
                "watchers",
                "open issues",
                "additions",
                "deletions",
                "changed files",
            ],
            |d, _| json!(d.magnitude(3000)),
            "{} stars",
        ),
        field(
            &["language"],
            |d, _| {
                json!(d.pick(&[
                    "Rust",
                    "Python",
                    "Java",
                    "Go",
                    "C",
                    "TypeScript",
                    "Kotlin",
                    "Ruby"
                ]))
            },
            "in {}",
        ),
        field(&["private", "archived", "merged", "draft", "fork"], |d, _| json!(d.chance(35)), ""),
        field(
            &["files", "changes"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "src/main.rs",
                        "src/lib.rs",
                        "README.md",
                        "Cargo.toml",
                        "tests/api.py",
                        "index.html"
                    ],
                    n
                ))
            },
            "",
        ),
        field(&["number", "pull request", "id"], |d, _| json!(d.magnitude(4000)), "number {}"),
        field(
            &["reviewers", "labels"],
            |d, _| {
                let n = d.size(1, 2);
                json!(d.some(&words::FIRST_NAMES, n))
            },
            "",
        ),
        field(
            &["state", "status", "conclusion"],
            |d, _| json!(d.pick(&["open", "closed", "merged", "success", "failure"])),
            "{}",
        ),
    ],
};

pub(super) const REQUEST: Topic = Topic {
    names: &["a request", "a response", "an API call", "an endpoint"],
    fields: &[
        field(
            &["method", "http method", "verb"],
            |d, _| json!(d.pick(&["GET", "POST", "PUT", "DELETE", "PATCH"])),
            "{}",
        ),
        field(
            &["path", "route", "endpoint", "resource"],
            |d, _| {
                let id = d.int(1, 99);
                json!(
                    d.pick(&[
                        "/users",
                        "/orders",
                        "/api/v1/items",
                        "/login",
                        "/products",
                        "/health",
                        "/search"
                    ])
                    .to_owned()
                        + &if id < 40 { format!("/{id}") } else { String::new() }
                )
            },
            "{}",
        ),
        field(
            &["url", "uri", "href"],
            |d, _| {
                json!(format!(
                    "https://api.example.com/{}",
                    d.pick(&["users", "orders", "items", "search", "status", "v1/products"])
                ))
            },
            "{}",
        ),
        field(
            &["status", "status code", "code", "http status"],
            |d, _| json!(d.pick(&[200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 500, 503])),
            "status {}",
        ),
        field(
            &["headers"],
            |d, _| json!({"Content-Type": "application/json", "Accept": d.pick(&["*/*", "text/html", "application/json"])}),
            "",
        ),
        field(
            &["body", "data", "payload"],
            |d, f| {
                if d.chance(30) {
                    Value::Null
                } else {
                    json!({"id": d.magnitude(999), "name": f.person.first})
                }
            },
            "",
        ),
        field(
            &["query", "params", "query params", "parameters"],
            |d, _| json!({"page": d.int(1, 9), "limit": d.pick(&[10, 20, 50])}),
            "",
        ),
        field(
            &["duration", "duration ms", "response time", "latency", "took"],
            |d, _| json!(d.magnitude(3000)),
            "took {} ms",
        ),
        field(&["success", "ok", "cached", "authenticated"], |d, _| json!(d.chance(70)), ""),
        field(
            &["error", "error message", "message"],
            |d, _| if d.chance(40) { Value::Null } else { json!(d.pick(&words::ERRORS)) },
            "",
        ),
        field(
            &["error"],
            |d, _| json!({"code": d.pick(&[400, 401, 404, 500]), "message": d.pick(&words::ERRORS)}),
            "",
        ),
        field(
            &["page", "offset", "total", "total pages", "count"],
            |d, _| json!(d.magnitude(500)),
            "",
        ),
        field(
            &["next", "previous", "next page", "cursor"],
            |d, _| {
                if d.chance(40) {
                    Value::Null
                } else {
                    json!(format!("https://api.example.com/items?page={}", d.int(2, 9)))
                }
            },
            "",
        ),
        field(&["request id", "trace id", "correlation id"], |d, _| json!(d.hex(8)), ""),
        field(&["ip", "client ip", "remote address"], |d, _| json!(settings::ip(d)), "from {}"),
        field(
            &["user agent"],
            |d, _| {
                json!(format!("{}/{}", d.pick(&["Mozilla", "curl", "python-requests"]), version(d)))
            },
            "",
        ),
        field(
            &["results", "items", "data", "records"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array(
                    (0..n).map(|i| json!({"id": i + 1, "name": d.pick(&words::WORDS)})).collect(),
                )
            },
            "",
        ),
        field(
            &["content type", "mime type"],
            |d, _| {
                json!(d.pick(&[
                    "application/json",
                    "text/html",
                    "text/plain",
                    "image/png",
                    "application/pdf"
                ]))
            },
            "",
        ),
    ],
};

pub(super) const LOG: Topic = Topic {
    names: &["a log entry", "an error report", "a log line"],
    fields: &[
        field(
            &["level", "severity", "log level"],
            |d, _| json!(d.pick(&["debug", "info", "warn", "error", "INFO", "ERROR", "WARN"])),
            "level {}",
        ),
        field(
            &["message", "msg", "text", "event"],
            |d, _| {
                if d.chance(50) {
                    json!(d.pick(&words::ERRORS))
                } else {
                    json!(d.pick(&[
                        "server started",
                        "user logged in",
                        "request finished",
                        "cache cleared",
                        "job done",
                        "file saved",
                        "connection closed"
                    ]))
                }
            },
            "\"{}\"",
        ),
        field(
            &["timestamp", "time", "ts", "logged at", "@timestamp"],
            |_, f| json!(f.date.instant()),
            "at {}",
        ),
        field(
            &["service", "logger", "module", "component", "source"],
            |d, _| json!(d.pick(&words::SERVICES)),
            "from {}",
        ),
        field(
            &["code", "error code", "exit code"],
            |d, _| json!(d.pick(&[0, 1, 2, 127, 404, 500])),
            "code {}",
        ),
        field(
            &["file", "filename", "file name"],
            |d, _| json!(d.pick(&["main.rs", "app.py", "server.js", "index.ts", "db.go"])),
            "in {}",
        ),
        field(&["line", "line number", "column"], |d, _| json!(d.magnitude(900)), "line {}"),
        field(&["pid", "process id", "thread"], |d, _| json!(d.int(100, 32_000)), ""),
        field(&["host", "hostname"], |d, _| json!(settings::host(d)), "on {}"),
        field(
            &["context", "extra", "details"],
            |d, _| json!({"user": d.magnitude(999), "path": d.pick(&words::FOLDERS)}),
            "",
        ),
        field(
            &["stack", "stacktrace", "trace"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&["main", "run", "connect", "read", "parse", "handle"], n))
            },
            "",
        ),
        field(&["fatal", "handled", "retryable"], |d, _| json!(d.chance(40)), ""),
    ],
};

pub(super) const FILE: Topic = Topic {
    names: &["a file", "an upload", "an image"],
    fields: &[
        field(
            &["name", "filename", "file name", "file"],
            |d, _| json!(d.pick(&words::FILES)),
            "{}",
        ),
        field(&["path", "file path", "location", "src"], |d, _| json!(file(d)), "{}"),
        field(
            &["size", "size bytes", "bytes", "file size", "length"],
            |d, _| json!(d.magnitude(5_000_000)),
            "{} bytes",
        ),
        field(
            &["type", "mime type", "format", "content type"],
            |d, _| {
                json!(d.pick(&[
                    "application/pdf",
                    "text/plain",
                    "image/png",
                    "image/jpeg",
                    "text/csv",
                    "application/json"
                ]))
            },
            "type {}",
        ),
        field(
            &["modified", "modified at", "created", "uploaded at"],
            |_, f| json!(f.date.instant()),
            "of {}",
        ),
        field(&["owner", "uploaded by"], |d, f| json!(f.person.username(d)), "by {}"),
        field(&["md5", "sha256", "checksum", "hash", "digest"], |d, _| json!(d.hex(16)), ""),
        field(&["width"], |d, _| json!(d.pick(&[320, 640, 800, 1024, 1280, 1920])), "{} wide"),
        field(&["height"], |d, _| json!(d.pick(&[240, 480, 600, 768, 720, 1080])), "{} high"),
        field(
            &["hidden", "readonly", "is directory", "public", "compressed"],
            |d, _| json!(d.chance(30)),
            "",
        ),
        field(
            &["permissions", "mode"],
            |d, _| json!(d.pick(&["rw-r--r--", "rwxr-xr-x", "0644", "0755"])),
            "",
        ),
        field(
            &["extension", "ext"],
            |d, _| json!(d.pick(&["pdf", "txt", "png", "jpg", "csv", "md"])),
            "",
        ),
        field(
            &["alt", "caption", "alt text"],
            |d, _| json!(format!("A {} {}", d.pick(&words::ADJECTIVES), d.pick(&words::NOUNS))),
            "",
        ),
        field(
            &["encoding", "charset"],
            |d, _| json!(d.pick(&["utf-8", "ascii", "base64", "gzip"])),
            "",
        ),
    ],
};

fn container(draw: &mut Draw) -> Value {
    json!({
        "name": draw.pick(&words::SERVICES),
        "image": format!("{}:{}", draw.pick(&["nginx", "redis", "postgres", "app", "busybox"]), version(draw)),
        "ports": [{"containerPort": draw.pick(&[80, 443, 8080, 5432, 6379])}],
    })
}

pub(super) const MANIFEST: Topic = Topic {
    names: &["a manifest", "a deployment", "a resource of a cluster"],
    fields: &[
        field(&["apiVersion"], |d, _| json!(d.pick(&["v1", "apps/v1", "batch/v1"])), ""),
        field(
            &["kind"],
            |d, _| {
                json!(d.pick(&[
                    "Deployment",
                    "Service",
                    "ConfigMap",
                    "Pod",
                    "Secret",
                    "Job",
                    "Ingress"
                ]))
            },
            "{}",
        ),
        field(
            &["metadata"],
            |d, _| json!({"name": d.pick(&words::SERVICES), "namespace": d.pick(&["default", "prod", "dev", "kube-system"])}),
            "",
        ),
        field(
            &["metadata"],
            |d, _| {
                let name = d.pick(&words::SERVICES);
                json!({"name": name, "labels": {"app": name}})
            },
            "",
        ),
        field(&["spec"], |d, _| json!({"replicas": d.int(1, 5), "containers": [container(d)]}), ""),
        field(
            &["spec"],
            |d, _| json!({"type": d.pick(&["ClusterIP", "NodePort", "LoadBalancer"]), "ports": [{"port": 80, "targetPort": d.pick(&[80, 8080])}]}),
            "",
        ),
        field(&["name"], |d, _| json!(d.pick(&words::SERVICES)), "named {}"),
        field(
            &["namespace"],
            |d, _| json!(d.pick(&["default", "prod", "dev", "monitoring"])),
            "namespace {}",
        ),
        field(
            &["image"],
            |d, _| {
                json!(format!("{}:{}", d.pick(&["nginx", "redis", "postgres", "app"]), version(d)))
            },
            "image {}",
        ),
        field(
            &["env", "environment"],
            |d, _| json!([{"name": d.pick(&["PORT", "LOG_LEVEL", "DB_HOST", "DEBUG"]), "value": d.pick(&["8080", "info", "db", "true"])}]),
            "",
        ),
        field(
            &["command", "args"],
            |d, _| {
                json!([
                    d.pick(&["run", "serve", "start", "python", "node"]),
                    d.pick(&["--verbose", "app.py", "server.js", "--port=8080"])
                ])
            },
            "",
        ),
        field(
            &["readOnly", "optional", "privileged", "tty", "stdin", "hostNetwork"],
            |d, _| json!(d.chance(40)),
            "",
        ),
        field(&["replicas", "revision", "generation"], |d, _| json!(d.int(1, 9)), "{} replicas"),
        field(
            &["annotations", "labels", "selector", "matchLabels"],
            |d, _| json!({d.pick(&["app", "tier", "team", "release"]): d.pick(&words::SERVICES)}),
            "",
        ),
        field(&["uid", "resourceVersion"], |d, _| json!(d.hex(8)), ""),
        field(&["creationTimestamp"], |_, f| json!(f.date.instant()), ""),
        field(
            &["secretName", "claimName", "volumeName", "storageClassName", "serviceAccount"],
            |d, _| {
                json!(format!(
                    "{}-{}",
                    d.pick(&words::SERVICES),
                    d.pick(&["secret", "data", "config", "sa"])
                ))
            },
            "",
        ),
        field(&["mountPath", "hostPath", "subPath"], |d, _| json!(d.pick(&words::FOLDERS)), ""),
        field(&["fsType", "medium"], |d, _| json!(d.pick(&["ext4", "xfs", "nfs"])), ""),
        field(
            &["timeoutSeconds", "periodSeconds", "failureThreshold"],
            |d, _| json!(d.int(1, 30)),
            "",
        ),
        field(&["key", "operator"], |d, _| json!(d.pick(&["In", "NotIn", "Exists", "Equal"])), ""),
    ],
};
