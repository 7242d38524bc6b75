import type { Cloud } from '../../ports/clouds.ts';
import { createAwsCloud } from './aws/aws-cloud.ts';
import { createAzureCloud } from './azure/azure-cloud.ts';
import type { CloudName, CloudSettings } from './cloud-settings.ts';
import { createGoogleCloud } from './google/google-cloud.ts';

export interface CloudsOptions extends Pick<CloudSettings, 'testEndpoints'> {
  /** Called for each request to a cloud, see `CloudConnectOptions`. */
  readonly onRequest: (cloud: CloudName, status: number | undefined) => void;
}

/** The clouds that this landscape can read. Their libraries are loaded when the first account is read. */
export function createClouds({ testEndpoints, onRequest }: CloudsOptions): readonly Cloud[] {
  const optionsOf = (name: CloudName) => {
    const { [name]: endpoint } = testEndpoints;
    return { ...(endpoint && { endpoint }), onRequest: (status: number | undefined) => onRequest(name, status) };
  };
  return [
    createAwsCloud(optionsOf('aws')),
    createAzureCloud(optionsOf('azure')),
    createGoogleCloud(optionsOf('google')),
  ];
}
