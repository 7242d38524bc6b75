import { setTimeout as sleep } from 'node:timers/promises';
import { agentFilesIn } from './agent-files.ts';
import { claimFolder } from './claim-folder.ts';
import { type AgentOptions, MeshAgent } from './mesh-agent.ts';

/**
 * Renews a certificate and forwards connections to the control plane, until the signal. It waits for unreachable peers.
 * Rejects with `FolderTaken` for a folder of another owner, and with the error of the landscape when it rejects the
 * certificate and there is none from an earlier run.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  try {
    await work(options, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function work(options: AgentOptions, signal: AbortSignal): Promise<void> {
  await claimFolder(options);
  await using agent = new MeshAgent(options, { files: await agentFilesIn(options.folder), signal });
  const { tenant } = await agent.connectLandscape();
  await claimFolder(options, tenant);
  await using kept = await agent.manageCertificate();
  options.onReady(await agent.openTunnelWhenReady(kept));
  while (!signal.aborted) {
    await sleep(options.renewEveryMs, undefined, { signal });
    await agent.renew(kept);
  }
}
