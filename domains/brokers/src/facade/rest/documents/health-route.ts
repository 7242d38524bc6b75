import type { JsonObject } from '@chandlery/api';
import type { Registry } from '../../../model/rows.ts';
import type { Caller } from '../../../ports.ts';
import type { BrokerSettings } from '../../../settings.ts';
import { isConnected } from '../../notifications/is-connected.ts';
import type { Route } from '../transport/route.ts';

/** Rejects when something does not work. Default of each: it works as long as the process does. */
export type HealthCheck = () => Promise<void>;

interface Indicator {
  readonly name: string;
  readonly status: 'UP' | 'DOWN';
  readonly error?: string;
  readonly details?: JsonObject;
}

/** What health is read from. */
interface HealthDeps {
  readonly registry: Registry;
  readonly settings: PingSettings;
  readonly checkStorage: HealthCheck;
}

type PingSettings = Pick<BrokerSettings, 'maxPingPeriodMs'>;

/** `GET /v1/monitor/health`: whether the store answers, and how many platforms are connected. Operators see details. */
export const healthRoute = ({ registry, settings, checkStorage }: HealthDeps): Route => ({
  method: 'GET',
  path: '/v1/monitor/health',
  who: 'anybody',
  document: {
    tag: 'documents',
    summary: 'Says whether the service manager works',
    responses: { 200: 'object', 503: 'object' },
  },
  respond: async ({ caller }) => {
    const indicators = [await storageIndicator(checkStorage), platformsIndicator(registry, settings)];
    const isUp = indicators.every(({ status }) => status === 'UP');
    const details = Object.fromEntries(indicators.map(indicator => [indicator.name, shown(indicator, caller)]));
    return { status: isUp ? 200 : 503, body: { status: isUp ? 'UP' : 'DOWN', details } };
  },
});

/** Only operators see details. */
function shown({ name, status, error, details }: Indicator, caller: Caller | undefined): JsonObject {
  const base = { name, status, check_time: new Date().toISOString() };
  if (caller?.type !== 'operator') return base;
  return { ...base, ...(error === undefined ? {} : { error }), ...(details === undefined ? {} : { details }) };
}

async function storageIndicator(check: HealthCheck): Promise<Indicator> {
  try {
    await check();
    return { name: 'storage', status: 'UP' };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { name: 'storage', status: 'DOWN', error };
  }
}

function platformsIndicator({ platforms }: Registry, settings: PingSettings): Indicator {
  const now = new Date();
  const real = [...platforms.all()].filter(({ spec }) => spec.technical !== true);
  const connected = real.filter(platform => isConnected(platform, now, settings)).length;
  return { name: 'platforms', status: 'UP', details: { known: real.length, connected } };
}
