export { addressKey, createPeerKey, createTrust, plainAddress } from './address-key.ts';
export {
  closeServer,
  createSupervisedHttp,
  type HttpTimes,
  listenOn,
  type SupervisedHttp,
} from './create-supervised-http.ts';
export { type CloseReason, superviseConnections } from './supervise-connections.ts';
