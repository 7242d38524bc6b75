import { generateKeyPairSync } from 'node:crypto';
import { describe } from 'node:test';
import { connectionOutcomes } from './endpoint-outcomes.ts';
import { credentials } from './sections/credentials.ts';
import { documents } from './sections/documents.ts';
import { notifications } from './sections/notifications.ts';
import { everyOutcomeIsShown } from './support/outcomes.ts';
import { setStage } from './support/stage.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Notifications, credentials of platforms, and public documents. */
describe('The service manager', () => {
  const stage = setStage({
    notificationQueueSize: 5,
    agentVersions: { 'k8s-proxy': ['1.0', '1.1'] },
    contextPrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  notifications(stage);
  credentials(stage);
  documents(stage);
  everyOutcomeIsShown(stage, connectionOutcomes);
});
