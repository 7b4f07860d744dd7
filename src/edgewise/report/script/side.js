// What is selected: hubs, communities and the strongest edges, a variable, or a card of an edge.
