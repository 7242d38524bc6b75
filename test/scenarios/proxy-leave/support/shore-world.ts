import { join } from 'node:path';
import { type ProcessResult, type RunningProcess, runProcess } from '@chandlery/testing';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import {
  type ScriptedBroker,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { createCaller } from '../../../security/support/caller.ts';
import { takeNames } from '../../provider-validation/support/all-clusters.ts';
import { type Person, personWith } from '../../provider-validation/support/people.ts';
import { Manager } from '../../two-platforms/support/manager.ts';
import { type PlatformLogin, startProxyProcess } from '../../two-platforms/support/proxies.ts';
import { startManagerLandscape } from '../../two-platforms/support/story-world.ts';

export const platform = 'shore';

/** A cluster that is a platform of the service manager, with a kubectl user. */
export interface ShoreWorld extends AsyncDisposable {
  readonly manager: Manager;
  readonly broker: ScriptedBroker;
  readonly user: Person;
  /** Registers the platform and opens a plan to it. Answers what its proxy logs in with. */
  register(): Promise<PlatformLogin>;
  startProxy(login: PlatformLogin): Promise<RunningProcess>;
  /** Runs `chandlery-proxy leave`. */
  leave(): Promise<ProcessResult>;
  /**
   * Everything on all clusters by name, the service manager's rows and Secrets too, and all processes of the landscape;
   * without what the service manager keeps for a while of what has happened.
   */
  census(): Promise<readonly string[]>;
}

const program = join(import.meta.dirname, '../../../../apps/proxy/bin/chandlery-proxy.mjs');
/** Operations and notifications that are over, and the record that a platform was deleted. */
const ofThePast = / brokers\.chandlery\.io\/\S+\/(notifications|operations|removedplatforms) /;
const brokerCredentials = { basic: { username: 'admin', password: 'broker-password' } };

export async function startShoreWorld(): Promise<ShoreWorld> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startManagerLandscape());
  await landscape.createCluster(platform);
  const broker = stack.use(await startScriptedBroker({ catalog: defaultCatalog(), asyncPolls: 0 }));
  const admin = stack.use(createCaller(landscape, { token: landscape.token }));
  const manager = new Manager(landscape);
  const broker_url = broker.url;
  await manager.post('/v1/service_brokers', { id: 'db', name: 'db', broker_url, credentials: brokerCredentials });
  const cluster = ['--kubeconfig', landscape.kubeconfig, '--kube-context', platform];
  const common = { serviceManagerUrl: landscape.url, serviceManagerCa: join(landscape.dataDir, 'ca.crt') };
  const all = stack.move();
  return {
    manager,
    broker,
    user: personWith(landscape.kubeconfig, platform),
    register: async () => {
      const made = await manager.post('/v1/platforms', { id: platform, name: platform, type: 'kubernetes' });
      const service_plan_id = await manager.planId('database', 'sync');
      await manager.post('/v1/visibilities', { id: 'opened', platform_id: platform, service_plan_id });
      return (made as unknown as { credentials: { basic: PlatformLogin } }).credentials.basic;
    },
    startProxy: async login => {
      const flags = [...cluster, '--broker-poll-ms', '50', '--broker-retry-ms', '100'];
      return all.use(await startProxyProcess({ ...common, login, flags }));
    },
    leave: () => {
      const at = ['--service-manager-url', common.serviceManagerUrl, '--service-manager-ca', common.serviceManagerCa];
      return runProcess(process.execPath, [program, 'leave', ...at, ...cluster, '--log-level', 'error']);
    },
    census: async () => (await takeNames(landscape, admin)).filter(entry => !ofThePast.test(entry)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
