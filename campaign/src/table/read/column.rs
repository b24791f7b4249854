//! What a column holds, told from its header: a measure and a unit, however they are spelled.

use super::cell::Unit;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Measure {
    Offered,
    Delivered,
    Answered,
    P50,
    P99,
    P999,
    Knee,
    Cpu,
    Throttled,
    Heap,
    Rss,
    Connections,
    Cores,
    Gap,
    Warmup,
}

/// A column that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub measure: Measure,
    /// The header's unit, where it has one.
    pub unit: Option<Unit>,
}

impl Measure {
    /// The columns of a full step table, with their names in it.
    pub(super) const FULL: [(Self, &'static str); 11] = [
        (Self::Offered, "offered"),
        (Self::Delivered, "delivered/s"),
        (Self::P50, "p50 ms"),
        (Self::P99, "p99 ms"),
        (Self::P999, "p999 ms"),
        (Self::Knee, "knee/s"),
        (Self::Cpu, "cpu ms/req"),
        (Self::Throttled, "throttled s"),
        (Self::Heap, "heap MB"),
        (Self::Rss, "rss MB"),
        (Self::Connections, "connections"),
    ];

    /// The unit of a number without one.
    pub(super) fn usual_unit(self) -> Option<Unit> {
        match self {
            Self::P50 | Self::P99 | Self::P999 | Self::Cpu | Self::Gap => Some(Unit::Millis),
            Self::Throttled => Some(Unit::Seconds),
            Self::Heap | Self::Rss => Some(Unit::Megabytes),
            Self::Offered
            | Self::Delivered
            | Self::Answered
            | Self::Knee
            | Self::Connections
            | Self::Cores
            | Self::Warmup => None,
        }
    }
}

impl Column {
    /// The column under this header; `None` where it means nothing here.
    pub(super) fn named(header: &str) -> Option<Self> {
        let words = Words::of(header);
        let measure = words.measure()?;
        Some(Self { measure, unit: words.unit(measure) })
    }
}

/// A header in lower-case words.
struct Words {
    each: Vec<String>,
    per_second: bool,
    share: bool,
}

impl Words {
    fn of(header: &str) -> Self {
        let mut spaced = String::new();
        let mut before = ' ';
        for letter in header.replace("99.9", "999").replace("99_9", "999").replace("iB", "ib").chars() {
            if letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
                spaced.push(' ');
            }
            spaced.push(letter);
            before = letter;
        }
        let lower = spaced.to_lowercase();
        let per_second =
            ["/s", "/sec", "per s", "per_s", "persecond", "rps", "qps", "tps"].iter().any(|mark| lower.contains(mark));
        let share =
            lower.contains('%') || lower.contains("percent") || lower.contains("pct") || lower.contains("permille");
        let lower = lower.replace("/sec", " ").replace("/s", " ");
        let parts = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '%' && letter != '‰');
        let words = parts.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Self { each: words, per_second, share }
    }

    fn has(&self, names: &[&str]) -> bool {
        self.each.iter().any(|word| names.contains(&word.as_str()))
    }

    fn are(&self, names: &[&str]) -> bool {
        !self.each.is_empty() && self.each.iter().all(|word| names.contains(&word.as_str()))
    }

    fn measure(&self) -> Option<Measure> {
        self.percentile().or_else(|| self.resource()).or_else(|| self.rate())
    }

    fn percentile(&self) -> Option<Measure> {
        // Percentiles of something else than the whole call from its due time.
        if self.has(&["service", "send", "ok", "only", "error", "lag", "connect", "ttfb"]) {
            return None;
        }
        let digits = |names: &[&str]| self.has(names) || (self.has(&["%"]) && self.has(&names[1..]));
        if digits(&["p999", "999", "999th"]) {
            Some(Measure::P999)
        } else if digits(&["p99", "99th"]) || self.are(&["99", "%", "99%", "ms", "latency"]) && self.has(&["99", "99%"])
        {
            Some(Measure::P99)
        } else if self.has(&["p50", "median", "50th"])
            || self.are(&["50", "%", "50%", "ms", "latency"]) && self.has(&["50", "50%"])
        {
            Some(Measure::P50)
        } else {
            None
        }
    }

    fn resource(&self) -> Option<Measure> {
        let each = self.has(&["req", "request", "requests", "msg", "message", "call", "op"]);
        if self.has(&["cpu"]) && each
            || each && self.are(&["ms", "us", "µs", "req", "msg", "per", "request", "message"]) && self.each.len() > 1
        {
            Some(Measure::Cpu)
        } else if self.has(&["cores"]) {
            Some(Measure::Cores)
        } else if self.has(&["throttled", "throttle", "throttling"]) && !self.has(&["periods"]) {
            Some(Measure::Throttled)
        } else if self.has(&["heap"]) {
            Some(Measure::Heap)
        } else if self.has(&["rss", "resident"]) {
            Some(Measure::Rss)
        } else if self.has(&["connections", "conns", "connection"]) {
            Some(Measure::Connections)
        } else if self.has(&["gap"]) {
            Some(Measure::Gap)
        } else if self.are(&["warmup", "warm", "up"]) {
            Some(Measure::Warmup)
        } else {
            None
        }
    }

    fn rate(&self) -> Option<Measure> {
        let counted = self.has(&["total", "count", "bytes", "kb", "mb"]);
        if self.has(&["knee"]) || self.never_sent() {
            Some(Measure::Knee)
        } else if counted || self.has(&["errors", "error", "failed"]) {
            None
        } else if self.has(&["answered", "success", "succeeded"]) {
            Some(Measure::Answered)
        } else if self.has(&["delivered", "achieved", "actual", "completed", "throughput", "goodput", "served"]) {
            Some(Measure::Delivered)
        } else if self.has(&["offered", "target", "asked", "requested", "demanded", "due"])
            || self.are(&["rate", "rps", "qps", "load", "req", "offered", "requests"])
        {
            Some(Measure::Offered)
        } else {
            None
        }
    }

    /// Calls never sent, as a rate or a share; a bare count cannot be told from either without the step's length.
    fn never_sent(&self) -> bool {
        let named = self.has(&["unsent", "shed", "dropped", "shedding"]) || self.has(&["never"]) && self.has(&["sent"]);
        named && (self.per_second || self.share)
    }

    fn unit(&self, measure: Measure) -> Option<Unit> {
        match measure {
            Measure::Offered | Measure::Delivered | Measure::Connections | Measure::Warmup => None,
            Measure::Answered | Measure::Knee if !self.share => None,
            Measure::Answered
            | Measure::Knee
            | Measure::P50
            | Measure::P99
            | Measure::P999
            | Measure::Cpu
            | Measure::Throttled
            | Measure::Heap
            | Measure::Rss
            | Measure::Cores
            | Measure::Gap => self.each.iter().rev().find_map(|word| Unit::named(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Measure, Unit};

    #[test]
    fn headers_are_understood_however_they_are_spelled() {
        let check = |header, measure, unit| {
            assert_eq!(Column::named(header), Some(Column { measure, unit }), "{header:?}");
        };
        check("offered", Measure::Offered, None);
        check("Offered (req/s)", Measure::Offered, None);
        check("offered/s", Measure::Offered, None);
        check("target rps", Measure::Offered, None);
        check("rate", Measure::Offered, None);
        check("RPS", Measure::Offered, None);
        check("delivered/s", Measure::Delivered, None);
        check("Delivered RPS", Measure::Delivered, None);
        check("achieved_rps", Measure::Delivered, None);
        check("throughput (req/s)", Measure::Delivered, None);
        check("deliveredPerSecond", Measure::Delivered, None);
        check("p50 ms", Measure::P50, Some(Unit::Millis));
        check("p50 (ms)", Measure::P50, Some(Unit::Millis));
        check("p50_us", Measure::P50, Some(Unit::Micros));
        check("p50Micros", Measure::P50, Some(Unit::Micros));
        check("median", Measure::P50, None);
        check("p99 [µs]", Measure::P99, Some(Unit::Micros));
        check("P99 latency (s)", Measure::P99, Some(Unit::Seconds));
        check("p99.9 ms", Measure::P999, Some(Unit::Millis));
        check("p999_ms", Measure::P999, Some(Unit::Millis));
        check("p99_9 (ms)", Measure::P999, Some(Unit::Millis));
        check("knee/s", Measure::Knee, None);
        check("kneePerSecond", Measure::Knee, None);
        check("never sent/s", Measure::Knee, None);
        check("shed %", Measure::Knee, Some(Unit::Percent));
        check("cpu ms/req", Measure::Cpu, Some(Unit::Millis));
        check("CPU per request (µs)", Measure::Cpu, Some(Unit::Micros));
        check("cpuNanosPerRequest", Measure::Cpu, Some(Unit::Nanos));
        check("ms/msg", Measure::Cpu, Some(Unit::Millis));
        check("throttled s", Measure::Throttled, Some(Unit::Seconds));
        check("throttled (ms)", Measure::Throttled, Some(Unit::Millis));
        check("heap MB", Measure::Heap, Some(Unit::Megabytes));
        check("RSS [MiB]", Measure::Rss, Some(Unit::Mebibytes));
        check("rssBytes", Measure::Rss, Some(Unit::Bytes));
        check("conns", Measure::Connections, None);
        check("cores", Measure::Cores, None);
        check("coresMilli", Measure::Cores, Some(Unit::Milli));
        check("answered %", Measure::Answered, Some(Unit::Percent));
        check("answeredPermille", Measure::Answered, Some(Unit::Permille));
        check("**offered**", Measure::Offered, None);
        check("warmup", Measure::Warmup, None);
        check("gap (ms)", Measure::Gap, Some(Unit::Millis));
    }

    #[test]
    fn other_headers_mean_nothing_here() {
        for header in [
            "",
            "verdict",
            "p90 ms",
            "grpc_ok",
            "pool_overflow",
            "never sent",
            "errors/s",
            "service p50 ms",
            "send error p99",
            "notes",
            "cpu %",
            "mean ms",
        ] {
            assert_eq!(Column::named(header), None, "{header:?}");
        }
    }
}
