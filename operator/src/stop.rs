//! Word that work is to end, told once and heard by any number.

use tokio::sync::watch;

/// Who tells.
#[derive(Debug)]
pub(crate) struct Teller(watch::Sender<bool>);

/// Who hears.
#[derive(Debug, Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

/// Both ends.
pub(crate) fn pair() -> (Teller, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Teller(sender), Stop(receiver))
}

impl Teller {
    /// Tells.
    pub fn tell(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Ends once it is told, or nobody is left to tell.
    pub async fn told(&self) {
        let mut heard = self.0.clone();
        let _ = heard.wait_for(|told| *told).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::pair;

    #[test]
    fn what_was_told_is_heard_before_and_after_and_also_when_nobody_is_left() {
        let (teller, stop) = pair();
        assert_eq!(stop.told().now_or_never(), None);
        teller.tell();
        assert_eq!(stop.told().now_or_never(), Some(()));
        let (teller, stop) = pair();
        drop(teller);
        assert_eq!(stop.told().now_or_never(), Some(()));
    }
}
