use super::*;
use crate::table::measure::{Setting, StepSamples, measure};

#[test]
fn cpu_that_belongs_to_nobody_here_is_foreign() {
    let neighbour = |idle: u64| {
        let mut window = witness();
        for (second, reading) in window.readings.iter_mut().enumerate() {
            reading.node =
                Some(NodeReading { cpus: vec![cpu(0, second as u64, 0), cpu(1, second as u64, idle)], pressure: None });
        }
        window
    };
    let (_, signals) = measured(driver(), &neighbour(90));
    assert_eq!((signals.foreign_milli, signals.host_idle_permille), (Some(500.0), Some(90.0)));
    let mut unseen = neighbour(90);
    unseen.readings.iter_mut().for_each(|reading| reading.driver = None);
    assert_eq!(measured(driver(), &unseen).1.foreign_milli, None);
}

#[test]
fn interrupts_are_foreign_to_nobody_where_the_kernel_keeps_them_apart() {
    let check = |accounting, expected| {
        let mut window = witness();
        for (second, reading) in window.readings.iter_mut().enumerate() {
            let second = second as u64;
            let softirq = CpuTimes { softirq: second * 200 * MILLI, ..cpu(1, second, 390) };
            reading.node = Some(NodeReading { cpus: vec![cpu(0, second, 0), softirq], pressure: None });
        }
        let bounds = JudgeBounds::default();
        let client = client();
        let setting = Setting {
            client: &client,
            protocol: Protocol::Http1,
            arm_cpus: &ARM_CPUS,
            irq_time_accounting: accounting,
            bounds: &bounds,
        };
        let step = PlannedStep { index: 1, kind: StepKind::Ramp, rate: 100, duration_nanos: 10 * SECOND };
        let samples = StepSamples { step, drivers: &[driver()], witness: Some(&window), previous_end_unix_nanos: None };
        assert_eq!(measure(&samples, &setting).1.foreign_milli, Some(expected), "{accounting:?}");
    };
    check(Some(false), 200.0);
    check(Some(true), 0.0);
    check(None, 0.0);
}

#[test]
fn steal_is_neither_busy_nor_idle() {
    let mut window = witness();
    for (second, reading) in window.readings.iter_mut().enumerate() {
        let second = second as u64;
        let stolen = CpuTimes { steal: second * 300 * MILLI, ..cpu(1, second, 290) };
        reading.node = Some(NodeReading { cpus: vec![cpu(0, second, 0), stolen], pressure: None });
    }
    let (_, signals) = measured(driver(), &window);
    assert_eq!((signals.steal_milli, signals.foreign_milli), (Some(300.0), Some(0.0)));
}

#[test]
fn a_quota_is_the_arm_s_most_where_it_is_less_than_its_cpus() {
    let mut window = witness();
    for (second, reading) in window.readings.iter_mut().enumerate() {
        let second = second as u64;
        let throttle = Throttle {
            periods: second * 100,
            throttled_periods: second * 60,
            throttled_nanos: second * 500 * MILLI,
            quota_milli: Some(500),
        };
        let arm = reading.arm.as_mut().unwrap();
        arm.throttle = Some(throttle);
        arm.threads[0].wait_nanos = second * 550 * MILLI;
        reading.driver.as_mut().unwrap().throttle = Some(Throttle { throttled_periods: second * 10, ..throttle });
    }
    let (row, signals) = measured(driver(), &window);
    let quota = signals.quota.unwrap();
    assert_eq!((quota.used_permille, quota.throttled_permille), (800.0, Some(600.0)));
    assert_eq!(row.throttled_micros, Some(5_000_000));
    assert_eq!(signals.driver_throttled_permille, Some(100.0));
    // 0.55 waited, 0.5 of it throttled.
    assert!((signals.host_wait_permille.unwrap() - 50.0).abs() < 1e-6);
}

#[test]
fn threads_that_wait_for_each_other_wait_for_no_host() {
    let mut window = witness();
    for (second, reading) in window.readings.iter_mut().enumerate() {
        let second = second as u64;
        let thread = |tid, wait| ThreadReading {
            tid,
            name: "worker".to_owned(),
            cpu_nanos: second * 200 * MILLI,
            wait_nanos: second * wait * MILLI,
        };
        reading.arm.as_mut().unwrap().threads = vec![thread(1, 200), thread(2, 260)];
    }
    let (_, signals) = measured(driver(), &window);
    assert!((signals.host_wait_permille.unwrap() - 60.0).abs() < 1e-6);
}

#[test]
fn a_process_that_was_replaced_or_killed_is_found_out() {
    let check = |change: fn(&mut Reading), expected: fn(Option<&Check>) -> bool| {
        let mut window = witness();
        change(&mut window.readings[9]);
        let (_, signals) = measured(driver(), &window);
        assert!(expected(signals.processes.as_ref()), "{:?}", signals.processes);
    };
    check(|reading| reading.arm.as_mut().unwrap().processes[0].start_ticks = 8, broken);
    check(|reading| reading.driver.as_mut().unwrap().processes.clear(), broken);
    check(|reading| reading.arm.as_mut().unwrap().oom_kills = Some(1), broken);
    let more = |reading: &mut Reading| {
        reading.arm.as_mut().unwrap().processes.push(ProcessReading { pid: 11, start_ticks: 99 });
    };
    check(more, holds);
    check(|reading| reading.arm = None, holds);
}

#[test]
fn a_counter_that_runs_backwards_is_found_out() {
    let check = |change: fn(&mut Reading), expected: fn(Option<&Check>) -> bool| {
        let mut window = witness();
        change(&mut window.readings[5]);
        let (_, signals) = measured(driver(), &window);
        assert!(expected(signals.counters.as_ref()), "{:?}", signals.counters);
    };
    check(|reading| reading.arm.as_mut().unwrap().cpu_nanos = 0, broken);
    check(|reading| reading.driver.as_mut().unwrap().cpu_nanos = u64::MAX, broken);
    check(|reading| reading.own_cpu_nanos = Some(0), broken);
    check(|reading| reading.own_cpu_nanos = None, holds);
    // A thread's time is gone with the thread.
    let sums = |reading: &mut Reading| {
        let arm = reading.arm.as_mut().unwrap();
        (arm.cpu_nanos, arm.cpu_source) = (0, CpuSource::Schedstat);
    };
    check(sums, holds);
}

#[test]
fn the_source_of_cpu_time_is_told() {
    let source = |window: &WitnessWindow| measured(driver(), window).0.cpu_source;
    assert_eq!(source(&witness()), Some(CpuSource::Cgroup));
    let mut threads = witness();
    threads.readings[4].arm.as_mut().unwrap().cpu_source = CpuSource::Schedstat;
    assert_eq!(source(&threads), Some(CpuSource::Schedstat));
    let mut unread = witness();
    unread.readings[10].arm = None;
    assert_eq!(source(&unread), None);
}

#[test]
fn a_quota_of_nothing_is_no_quota() {
    let mut window = witness();
    for reading in &mut window.readings {
        let throttle = Throttle { periods: 0, throttled_periods: 0, throttled_nanos: 0, quota_milli: Some(0) };
        reading.arm.as_mut().unwrap().throttle = Some(throttle);
    }
    assert_eq!(measured(driver(), &window).1.quota, None);
}

#[test]
fn throttling_that_runs_backwards_is_found_out() {
    let check = |change: fn(&mut Throttle), expected: fn(Option<&Check>) -> bool| {
        let mut window = witness();
        for (at, reading) in (0..).zip(&mut window.readings) {
            let throttle =
                Throttle { periods: at, throttled_periods: at, throttled_nanos: at * MILLI, quota_milli: Some(1000) };
            reading.arm.as_mut().unwrap().throttle = Some(throttle);
        }
        change(window.readings[5].arm.as_mut().unwrap().throttle.as_mut().unwrap());
        let (_, signals) = measured(driver(), &window);
        assert!(expected(signals.counters.as_ref()), "{:?}", signals.counters);
    };
    check(|_| {}, holds);
    // As far as the reading before: it stood still.
    check(|throttle| throttle.periods = 4, holds);
    check(|throttle| throttle.periods = 3, broken);
    check(|throttle| throttle.throttled_periods = 4, holds);
    check(|throttle| throttle.throttled_periods = 3, broken);
    check(|throttle| throttle.throttled_nanos = 4 * MILLI, holds);
    check(|throttle| throttle.throttled_nanos = 4 * MILLI - 1, broken);
}

#[test]
fn a_gap_between_readings_is_kept() {
    let mut window = witness();
    window.readings.drain(3..6);
    assert_eq!(measured(driver(), &window).1.sampling_gap_millis, Some(4000));
    window.readings.truncate(1);
    let (row, signals) = measured(driver(), &window);
    assert_eq!((row.cores_milli, signals.sampling_gap_millis), (None, None));
}
