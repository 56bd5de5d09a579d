// Package tatikonda holds the experiments of Tatikonda, Cambazoglu and Junqueira, "Posting
// list intersection on multicore architectures", SIGIR 2011.
package tatikonda

import "github.com/pinion-index/pinion/papers/internal/paper"

// Paper returns the paper.
func Paper() *paper.Paper {
	return &paper.Paper{
		Key: "tatikonda", Title: "Tatikonda et al. 2011",
		Claims: []string{
			"throughput of INTER and FGQP grows almost linearly with the cores: 7.9 and 7.6 times on eight (4.2, Figure 4a)",
			"DOCP-UI and DOCP-PI lose throughput by uneven parts: 5.1 and 4.8 times on eight (4.2, Figure 4a)",
			"INTER leaves latency as it is; FGQP divides it by 5.75 on eight cores, DOCP by 4.9 (4.2, Figure 4b)",
			"a higher pool threshold costs latency and gains throughput: from 5 to 150 the loss of throughput falls from 16 % to 3.3 %, the gain of latency from 5.75 to 3.7 times (4.2, Figure 4c)",
			"latency is constant until saturation and then rises steeply; INTER and FGQP saturate at the same rate, DOCP-UI earlier (4.3, Figure 5a)",
			"below saturation FGQP has less latency than INTER (4.3, Figure 5a)",
			"queries with ten terms take about ten times as long as those with two, and throughput falls 11 times (4.4, Figures 5b and 5c)",
			"longer queries saturate earlier (4.4, Figure 6)",
			"halving B doubles skips a list and tasks a query; S_avg and O_avg are constant, 10.2 and 0.97 (4.5, Figure 7)",
			"making tasks takes about 2 % of the time (4.5)",
		},
		Experiments: []paper.Experiment{figure4a, figure4b, figure4c, figure5a, figure5b, figure5c, figure6, figure7},
	}
}
