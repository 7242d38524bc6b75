import type { FleetWorld } from './fleet-world.ts';
import type { RequestMaker } from './measure-requests.ts';
import { instanceId } from './seed-fleet.ts';

const base = '/api/dinosaurs_mgmt/v1';

/** Orders of one organisation. */
export const makeCreates: RequestMaker = async ({ customer }) => {
  const run = Date.now().toString(36);
  return number => ({
    method: 'POST',
    path: `${base}/dinosaurs?async=true`,
    token: customer,
    body: { name: `b${run}-${number}` },
    status: 202,
  });
};

/** Reports on one instance each, which has another version than before, so that it is written. */
export const makeReports: RequestMaker = async ({ agent, agentPath, size }) => {
  const first = size.instances - size.perCluster;
  return number => ({
    method: 'PUT',
    path: `${agentPath}/dinosaurs/status`,
    token: agent,
    body: {
      [instanceId(first + (number % size.perCluster))]: {
        conditions: [{ type: 'Ready', status: 'True' }],
        versions: { dinosaur: `1.0.${number}` },
      },
    },
    status: 200,
  });
};

/** A page of an organisation's instances. */
export const makeLists: RequestMaker = async ({ member }) => {
  return () => ({ method: 'GET', path: `${base}/dinosaurs?size=20`, token: member, status: 200 });
};

/** A page of all instances, from the middle. */
export const makeAdminLists: RequestMaker = async ({ landscape, size }) => {
  const page = Math.ceil(size.instances / 20 / 2);
  return () => ({
    method: 'GET',
    path: `${base}/admin/dinosaurs?size=20&page=${page}`,
    token: landscape.token,
    status: 200,
  });
};

/** An agent's poll that finds something new. */
export const makePolls: RequestMaker = async ({ agent, agentPath }) => {
  return () => ({
    method: 'GET',
    path: `${agentPath}/dinosaurs?revision=0&wait=30&secrets=false`,
    token: agent,
    status: 200,
  });
};

/** An agent's poll that finds nothing new. */
export const makeIdlePolls: RequestMaker = async world => {
  const revision = await revisionOf(world);
  return () => ({
    method: 'GET',
    path: `${world.agentPath}/dinosaurs?revision=${revision}&secrets=false`,
    token: world.agent,
    status: 304,
  });
};

async function revisionOf({ landscape, agent, agentPath }: FleetWorld): Promise<string> {
  const answer = await landscape.request(`${agentPath}/dinosaurs?secrets=false`, { token: agent });
  return answer.json<{ revision: string }>().revision;
}
