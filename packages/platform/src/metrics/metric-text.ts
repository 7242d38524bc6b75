/** Label names with their values. */
export type Labels = Readonly<Record<string, string>>;

/** The text format of Prometheus, version 0.0.4. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** `name{a="b"} 1`, escaped as the format demands. */
export const sampleLine = (name: string, labels: Labels, value: number): string =>
  `${name}${labelText(labels)} ${numberText(value)}\n`;

/** The two lines in front of a metric's samples. */
export const headLines = (name: string, help: string, type: string): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;

/** A number as Prometheus reads it. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeValue = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
