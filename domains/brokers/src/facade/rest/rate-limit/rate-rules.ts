import { ChandleryError } from '@chandlery/api';

/** So many requests in a time window, by one caller. */
export interface RateRule {
  readonly count: number;
  readonly windowMs: number;
  /** Applies to paths that begin with it. */
  readonly pathPrefix: string;
  /** Default: all methods together. */
  readonly method?: string;
}

const unitMs: Readonly<Record<string, number>> = { S: 1000, M: 60_000, H: 3_600_000, D: 86_400_000 };
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Reads `10000-H,1000-M:/v1/service_instances:POST`. Throws `InvalidConfig`, so that a bad setting stops the start. */
export function parseRateRules(setting: string): readonly RateRule[] {
  const parts = setting.split(',').map(part => part.trim());
  return parts.filter(part => part !== '').map(parseRule);
}

function parseRule(text: string): RateRule {
  const [rate = '', pathPrefix = '/', method, ...rest] = text.split(':');
  const [, count = '', unit = ''] = /^(\d+)-([SMHD])$/.exec(rate) ?? [];
  const windowMs = unitMs[unit];
  if (windowMs === undefined || Number(count) < 1)
    throw invalid(text, 'the rate must look like 100-S, 100-M, 100-H or 100-D');
  if (!isCleanPath(pathPrefix)) throw invalid(text, 'the path must begin with "/" and hold no "//", "." or ".." parts');
  if (rest.length > 0 || (method !== undefined && !methods.includes(method)))
    throw invalid(text, `the method must be one of ${methods.join(', ')}`);
  return { count: Number(count), windowMs, pathPrefix, ...(method === undefined ? {} : { method }) };
}

function isCleanPath(path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  return path.startsWith('/') && parts.every(part => part !== '' && part !== '.' && part !== '..');
}

const invalid = (text: string, why: string): ChandleryError =>
  new ChandleryError('InvalidConfig', `the rate limit ${JSON.stringify(text)} is not understood: ${why}`, {
    hint: 'write count-unit[:path[:method]], for example 1000-M:/v1/service_instances:POST',
  });
