//! From plan, progress and what is observed to the next decision. A decision says why it waits.
