import type { MachineEvent } from '../../../ports/machine-events.ts';
import { change, dropped, interpretJson, textIn } from '../event-message.ts';

export interface AwsEventScope {
  readonly accountId: string;
  readonly regions: readonly string[];
}

/** Services whose events are about machines, as their addresses, states, groups and tags. */
const sources = new Set(['aws.ec2', 'aws.autoscaling', 'aws.tag']);

/** Interprets a message that EventBridge has put into a queue: an event in its own envelope. */
export const interpretAwsEvent = (text: string, { accountId, regions }: AwsEventScope): MachineEvent =>
  interpretJson(text, event => {
    if (textIn(event, 'detail-type') === '') return dropped('it is no event of EventBridge');
    if (!sources.has(textIn(event, 'source'))) return dropped('it is not about machines');
    if (textIn(event, 'account') !== accountId) return dropped('it is of another account');
    return regions.includes(textIn(event, 'region')) ? change : dropped('it is of a region that is not read');
  });
