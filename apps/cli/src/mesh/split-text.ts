import type { WeightedBackend } from '@chandlery/mesh/kinds';

/** The shares of a split: `shop/api-v1 80 %, shop/api-v2 20 %`. */
export function splitText(backends: readonly WeightedBackend[]): string {
  const sum = backends.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return 'all weights are 0: nothing is answered';
  const percent = (weight: number): string => String(Number(((weight / sum) * 100).toFixed(1)));
  return backends
    .map(({ service: { namespace, name }, weight }) => `${namespace}/${name} ${percent(weight)} %`)
    .join(', ');
}
