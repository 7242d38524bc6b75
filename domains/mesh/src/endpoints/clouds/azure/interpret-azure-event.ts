import type { MachineEvent } from '../../../ports/machine-events.ts';
import { change, dropped, fieldsIn, interpretBase64, textIn } from '../event-message.ts';

/** Changes of resources, and of their states and health. */
const types = /^Microsoft\.(Resources\.Resource\w+Success|ResourceNotifications\.\w+\.\w+)$/;
/** Machines, their network interfaces and public addresses. */
const providers = ['/providers/microsoft.compute/', '/providers/microsoft.network/'];

/**
 * Interprets a message that Event Grid has put into a queue: an event of its own schema, or of CloudEvents 1.0, in base64
 * as the queue has it.
 */
export function interpretAzureEvent(base64: string, subscriptionId: string): MachineEvent {
  return interpretBase64(base64, event => {
    const type = textIn(event, 'specversion') === '1.0' ? textIn(event, 'type') : textIn(event, 'eventType');
    if (type === '') return dropped('it is no event of Event Grid');
    if (!types.test(type)) return dropped('it is not about resources');
    const data = fieldsIn(event, 'data');
    const resource = (textIn(event, 'subject') || textIn(data, 'resourceUri')).toLowerCase();
    if (!resource.startsWith(`/subscriptions/${subscriptionId}/`)) return dropped('it is of another subscription');
    return providers.some(provider => resource.includes(provider)) ? change : dropped('it is not about machines');
  });
}
