import type { MachineEvent } from '../../../ports/machine-events.ts';
import { change, dropped, fieldsIn, interpretBase64, textIn } from '../event-message.ts';

const apiHost = 'compute.googleapis.com';

/**
 * Interprets a message of a subscription, in base64: an asset of a feed of Cloud Asset Inventory, or an entry of the audit
 * log that a sink has published.
 */
export function interpretGoogleEvent(base64: string, project: string): MachineEvent {
  return interpretBase64(base64, event => {
    const asset = fieldsIn(event, 'asset');
    const audit = fieldsIn(event, 'protoPayload');
    const isAsset = textIn(asset, 'assetType') !== '';
    if (!isAsset && textIn(audit, 'serviceName') === '') return dropped('it is no asset and no entry of the audit log');
    const service = isAsset ? textIn(asset, 'assetType').split('/')[0] : textIn(audit, 'serviceName');
    if (service !== apiHost) return dropped('it is not about machines');
    const resource = isAsset ? textIn(asset, 'name').replace(`//${apiHost}/`, '') : textIn(audit, 'resourceName');
    return resource.startsWith(`projects/${project}/`) ? change : dropped('it is of another project');
  });
}
