import { pushNotSupported } from '../refuse-push-config.ts';

/** The four operations of A2A 1.0 §3.1.7-10 answer alike while the card says that there are no push notifications. */
export function createPushNotificationConfigs() {
  return async function pushNotificationConfigs(): Promise<never> {
    throw pushNotSupported();
  };
}
