// What each method says about each pair.
