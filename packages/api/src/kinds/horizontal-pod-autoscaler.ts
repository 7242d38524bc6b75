import { builtIn, withStatus } from './built-in.ts';
import { age, count, text } from './columns/columns.ts';
import { quantityText } from './columns/format.ts';
import { fieldsAt, listAt, numberAt, textAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import { horizontalPodAutoscalerSpec, horizontalPodAutoscalerStatus } from './messages/autoscaling.ts';

const SHOWN_METRICS = 2;

/** The field of a metric that its type names. */
function sourceOf(metric: unknown): unknown {
  const type = textAt(metric, 'type');
  return valueAt(metric, type === '' ? '' : `${type.charAt(0).toLowerCase()}${type.slice(1)}`);
}

function valueText(value: unknown): string {
  const utilization = valueAt(value, 'averageUtilization');
  if (typeof utilization === 'number') return `${utilization}%`;
  const average = quantityText(value, 'averageValue');
  return average === '' ? quantityText(value, 'value') || '<unknown>' : average;
}

/** A metric and its aim, such as `cpu: 40%/80%`. */
function metricText(metric: unknown, measured: unknown): string {
  const source = sourceOf(metric);
  const target = fieldsAt(source, 'target');
  const isAverage = target['averageValue'] !== undefined && textAt(target, 'type') === 'AverageValue';
  const pair = `${valueText(valueAt(sourceOf(measured), 'current'))}/${valueText(target)}${isAverage ? ' (avg)' : ''}`;
  const resource = textAt(source, 'name');
  return resource === '' ? pair : `${resource}: ${pair}`;
}

function targetsText(autoscaler: unknown): string {
  const metrics = listAt(autoscaler, 'spec', 'metrics');
  if (metrics.length === 0) return '<none>';
  const measured = listAt(autoscaler, 'status', 'currentMetrics');
  const shown = metrics.slice(0, SHOWN_METRICS).map((metric, index) => metricText(metric, measured[index]));
  const rest = metrics.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} + ${rest} more...`;
}

/** Scales a workload by what is measured. */
export const horizontalPodAutoscaler = builtIn({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'Scales a workload by what is measured.',
  fields: {
    spec: one(2, horizontalPodAutoscalerSpec, 'What is scaled, and by what.', { required: true }),
    status: one(3, horizontalPodAutoscalerStatus, 'What became of it.'),
  },
  subresources: withStatus,
  columns: [
    text(
      'Reference',
      object =>
        `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
    ),
    text('Targets', targetsText),
    text('MinPods', object =>
      valueAt(object, 'spec', 'minReplicas') === undefined
        ? '<unset>'
        : String(numberAt(object, 'spec', 'minReplicas')),
    ),
    count('MaxPods', object => numberAt(object, 'spec', 'maxReplicas')),
    count('Replicas', object => numberAt(object, 'status', 'currentReplicas')),
    age,
  ],
});
