module soak.local/cluster/pause

go 1.24.0
