import './service-child.ts';
