import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';
import { apply } from '@chandlery/runtime';
import { dinosaursHostImage } from '../../products/dinosaurs/program.ts';
import { agentImage } from './agent-objects.ts';

/**
 * Says on the platform cluster what stands for the images of the agent and of the built-in product where pods are
 * processes of this machine. `agentProgram`: the path of the agent's program.
 */
export async function ensureBuiltInImages(platform: Pick<Client, 'patch'>, agentProgram: string): Promise<void> {
  const images: readonly KubeObject[] = [
    hostImage('fleet-agent', { image: agentImage, command: ['node', agentProgram] }),
    hostImage('fleet-dinosaurs', dinosaursHostImage),
  ];
  const desired = images.map(object => ({ plural: hostImages.plural, object }));
  await apply(platform, 'chandlery-fleet', desired);
}

const hostImage = (name: string, spec: HostImage['spec']): KubeObject => hostImages.object({ name }, spec);
