// Which variables are central.
