// SPDX-License-Identifier: Apache-2.0
/*! Apache ECharts and its renderer zrender: Apache-2.0 and BSD-3-Clause, https://echarts.apache.org */
// The parts of the chart library that the charts use: a new kind of series or component has a line here.
import { getInstanceByDom, init, use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import {
  GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, ParallelComponent, TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart,
  GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, ParallelComponent, TooltipComponent, VisualMapContinuousComponent,
  LabelLayout, CanvasRenderer, SVGRenderer]);
globalThis.echarts = { getInstanceByDom, init };
