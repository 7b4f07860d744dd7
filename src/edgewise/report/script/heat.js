// The heat map.
